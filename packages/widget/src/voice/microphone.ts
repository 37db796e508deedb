import { MicrophoneError, openMicrophone } from './open-microphone.js';
import { pitchOf } from './pitch.js';
import { audio, loudness, samplesOf } from '../media/player.js';

const AUDIO_TYPES = ['audio/webm;codecs=opus', 'audio/mp4', 'audio/ogg;codecs=opus'];
const VIDEO_TYPES = ['video/webm;codecs=vp8,opus', 'video/mp4'];
/** At these bit rates the longest recording stays below the service's limit of 10 MiB. */
const BIT_RATES = { audioBitsPerSecond: 32_000, videoBitsPerSecond: 500_000 };
export const LONGEST_SECONDS = 120;

/** An open microphone, with the camera for video. */
export class Microphone {
  private readonly analyser: AnalyserNode;
  private readonly source: MediaStreamAudioSourceNode;
  private recorder?: MediaRecorder;
  private chunks: Blob[] = [];

  private constructor(readonly stream: MediaStream) {
    this.source = audio().createMediaStreamSource(stream);
    this.analyser = audio().createAnalyser();
    this.source.connect(this.analyser);
  }

  /** @throws MicrophoneError */
  static async open(video: boolean): Promise<Microphone> {
    if (typeof MediaRecorder === 'undefined') throw new MicrophoneError('missing');
    const processed = { echoCancellation: true, noiseSuppression: true, autoGainControl: true };
    const stream = await openMicrophone(processed, video);
    try {
      return new Microphone(stream);
    } catch {
      for (const track of stream.getTracks()) track.stop();
      throw new MicrophoneError('busy');
    }
  }

  /** The current level, 0 to about 1. */
  get level(): number {
    return loudness(this.analyser);
  }

  /** The current pitch of the voice, in Hz. */
  get pitch(): number | undefined {
    return pitchOf(samplesOf(this.analyser), this.analyser.context.sampleRate);
  }

  /** Whether the device is still connected. */
  get live(): boolean {
    return this.stream.getTracks().every(({ readyState }) => readyState === 'live');
  }

  /** Starts a recording; drops one in progress. @throws MicrophoneError */
  record(): void {
    this.drop();
    const video = this.stream.getVideoTracks().length > 0;
    const mimeType = (video ? VIDEO_TYPES : AUDIO_TYPES).find((type) => MediaRecorder.isTypeSupported(type));
    try {
      const recorder = new MediaRecorder(this.stream, { mimeType, ...BIT_RATES });
      const chunks: Blob[] = [];
      recorder.addEventListener('dataavailable', ({ data }) => chunks.push(data));
      recorder.start(1000);
      this.recorder = recorder;
      this.chunks = chunks;
    } catch {
      throw new MicrophoneError('busy');
    }
  }

  /** Ends the recording, and returns it. */
  async finish(): Promise<Blob | undefined> {
    const { recorder, chunks } = this;
    if (!recorder) return undefined;
    this.recorder = undefined;
    const stopped = new Promise((resolve) => recorder.addEventListener('stop', resolve));
    if (recorder.state !== 'inactive') {
      recorder.stop();
      await stopped;
    }
    return chunks.length > 0 ? new Blob(chunks, { type: recorder.mimeType }) : undefined;
  }

  drop(): void {
    if (this.recorder && this.recorder.state !== 'inactive') this.recorder.stop();
    this.recorder = undefined;
  }

  close(): void {
    this.drop();
    this.source.disconnect();
    for (const track of this.stream.getTracks()) track.stop();
  }
}
