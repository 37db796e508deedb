import { type TurnClient, type Heard, type LiveOptions, LiveSession, LiveSpeaker } from 'avatar-chat-client';
import { capture, LIVE_MICROPHONE, SpeakerOutput } from 'avatar-chat-client/audio';
import { openMicrophone } from '../voice/open-microphone.js';
import { audio } from '../media/player.js';
import type { Sound } from '../media/stage.js';
import { volume } from '../media/volume.js';
import { Mouths } from './mouths.js';
import { Transcript } from './transcript.js';

export interface CallListener {
  /** The avatar starts to sound, or stops (undefined). */
  sounds(sound?: Sound): void;
  /** An answer was cut off after this part. */
  cut(heard: Heard): void;
  /** The microphone level, 0 to about 1. */
  level(level: number): void;
  /** The microphone was disconnected. */
  unplugged(): void;
}

/** How long silence is sent after muting, so that the current utterance ends. */
const LAST_SILENCE_MS = 3000;

/** Audio input and output of a live session. */
export class Call {
  private stopCapture?: () => void;
  /** Set while the microphone is being opened. */
  private opening?: Promise<void>;
  /** Incremented on close, so that opening which started before does not continue. */
  private closings = 0;
  private mutedSince?: number;

  private constructor(
    readonly live: LiveSession,
    private readonly worklet: string,
    private readonly listener: CallListener,
    private readonly speaker: LiveSpeaker,
    private stream?: MediaStream,
  ) {}

  /**
   * @throws MicrophoneError
   * @throws AvatarChatError if the service rejects the session
   */
  static async open(
    client: TurnClient,
    worklet: string,
    { signal, chat_type, ...options }: LiveOptions & { signal: AbortSignal },
    listener: CallListener,
  ): Promise<Call> {
    const stream = await openMicrophone(LIVE_MICROPHONE, chat_type === 'video');
    let live: LiveSession | undefined;
    try {
      signal.throwIfAborted();
      live = await LiveSession.open({ ...options, chat_type, signal }, client.liveAccess(signal));
      const output = await SpeakerOutput.open(audio(), worklet, stream.getAudioTracks()[0]);
      const speaker = new LiveSpeaker(live, output, (heard) => listener.cut(heard));
      const call = new Call(live, worklet, listener, speaker, stream);
      const mouths = new Mouths();
      live.on('response.animation_viseme.delta', ({ item_id, audio_offset_ms, viseme_id }) =>
        mouths.add(item_id, audio_offset_ms, viseme_id),
      );
      const transcript = new Transcript(live);
      const sound = { mouth: () => mouths.at(output.heard), sentence: () => transcript.at(output.heard) };
      output.changed = (sounds) => listener.sounds(sounds ? sound : undefined);
      const unwatch = volume.watch((level) => (output.volume = level));
      live.on('closed', () => {
        unwatch();
        call.closeMicrophone();
      });
      if (signal.aborted) speaker.close();
      signal.throwIfAborted();
      return call;
    } catch (error) {
      stop(stream);
      live?.close();
      throw error;
    }
  }

  /** The camera's picture; `null` without a camera, undefined while the microphone is closed. */
  get picture(): MediaStream | null | undefined {
    return this.stream?.getVideoTracks().length === 0 ? null : this.stream;
  }

  /** Streams the microphone to the service, unless it is closed while it is being opened. */
  openMicrophone(video: boolean): Promise<void> {
    return (this.opening ??= this.startCapture(video).finally(() => (this.opening = undefined)));
  }

  /** Closes the microphone. The avatar continues. */
  closeMicrophone(): void {
    this.closings++;
    this.stopCapture?.();
    this.stopCapture = undefined;
    if (this.stream) stop(this.stream);
    this.stream = undefined;
    this.listener.level(0);
  }

  set muted(muted: boolean) {
    this.mutedSince = muted ? performance.now() : undefined;
    for (const track of this.stream?.getAudioTracks() ?? []) track.enabled = !muted;
  }

  /** Stops the avatar. */
  interrupt(): void {
    this.speaker.interrupt();
  }

  close(): void {
    this.closeMicrophone();
    this.live.close();
  }

  private async startCapture(video: boolean): Promise<void> {
    const { closings } = this;
    const stream = this.stream ?? (await openMicrophone(LIVE_MICROPHONE, video));
    if (closings !== this.closings) return stop(stream);
    this.stream = stream;
    for (const track of stream.getTracks()) {
      if (track.readyState === 'ended') return this.listener.unplugged();
      track.addEventListener('ended', () => this.listener.unplugged());
    }
    const stopCapture = await capture(audio(), this.worklet, stream, (samples) => this.send(samples));
    if (closings === this.closings) this.stopCapture = stopCapture;
    else stopCapture();
  }

  private send(samples: Int16Array): void {
    this.listener.level(Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length) / 32_768);
    if (this.mutedSince === undefined || performance.now() - this.mutedSince < LAST_SILENCE_MS) {
      this.live.append(samples);
    }
  }
}

function stop(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}
