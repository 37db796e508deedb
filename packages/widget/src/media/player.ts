import { outputLatency } from 'avatar-chat-client/audio';
import { volume } from './volume.js';

let context: AudioContext | undefined;
let output: GainNode | undefined;

/** The page's only audio context. Call it first in a click handler: otherwise browsers start it suspended. */
export function audio(): AudioContext {
  context ??= new AudioContext();
  if (context.state === 'suspended') void context.resume();
  return context;
}

/** How long a sound waits for the context to run, in milliseconds. */
const CONTEXT_START_TIMEOUT_MS = 3000;

/** Whether audio can play: most browsers mute a page until its visitor has clicked or pressed a key. */
async function canSound(): Promise<boolean> {
  const context = audio();
  if (context.state !== 'running') {
    await new Promise((resolve) => {
      context.addEventListener('statechange', resolve, { once: true });
      setTimeout(resolve, CONTEXT_START_TIMEOUT_MS);
    });
  }
  return context.state === 'running';
}

/** Suspends audio until the next sound. */
export function suspendAudio(): void {
  if (context?.state === 'running') void context.suspend();
}

/** The shared output, at the user's volume. */
function loudspeaker(): AudioNode {
  if (!output) {
    const gain = audio().createGain();
    gain.connect(audio().destination);
    volume.watch((level) => (gain.gain.value = level));
    output = gain;
  }
  return output;
}

/** Plays recordings one after the other. Loads them with `fetch`: a page's policy may allow `connect-src` but not `media-src`. */
export class Player {
  private source?: AudioBufferSourceNode;
  private analyser?: AnalyserNode;
  private begun = 0;
  private turn = 0;
  private queued = 0;
  private last: Promise<unknown> = Promise.resolve();
  private reading = new AbortController();

  /** Whether something is playing or about to. */
  get playing(): boolean {
    return this.queued > 0;
  }

  /** The position of what is heard, in seconds; it lags behind what is played. */
  get position(): number {
    return audio().currentTime - this.begun - outputLatency(audio());
  }

  /** The current level, 0 to about 1. */
  get level(): number {
    return this.analyser ? loudness(this.analyser) : 0;
  }

  /**
   * Plays a recording in place of the current one, to its end or until {@link stop}.
   *
   * @param onBegin called when it starts to sound
   * @throws if it cannot be loaded or decoded
   */
  play(recording: string | Blob, onBegin?: () => void): Promise<void> {
    this.stop();
    return this.append(recording, onBegin);
  }

  /** Like {@link play}, but after the current recording. Loads and decodes it meanwhile. */
  async append(recording: string | Blob, onBegin: () => void = () => undefined): Promise<void> {
    const { turn, last } = this;
    const decoded = read(recording, this.reading.signal).then((bytes) => audio().decodeAudioData(bytes));
    const sounding = Promise.all([decoded, last]).then(([buffer]) =>
      turn === this.turn ? this.sound(buffer, onBegin) : undefined,
    );
    this.queued++;
    this.last = sounding.catch(() => undefined);
    try {
      await sounding;
    } finally {
      if (turn === this.turn) this.queued--;
    }
  }

  stop(): void {
    this.turn++;
    this.reading.abort();
    this.reading = new AbortController();
    this.queued = 0;
    this.last = Promise.resolve();
    const { source } = this;
    this.source = this.analyser = undefined;
    source?.stop();
  }

  private async sound(buffer: AudioBuffer, onBegin: () => void): Promise<void> {
    const { turn } = this;
    if (!(await canSound()) || turn !== this.turn) return;
    const source = audio().createBufferSource();
    source.buffer = buffer;
    const analyser = audio().createAnalyser();
    source.connect(analyser).connect(loudspeaker());
    this.source = source;
    this.analyser = analyser;
    this.begun = audio().currentTime;
    const ended = new Promise((resolve) => source.addEventListener('ended', resolve));
    source.start();
    onBegin();
    await ended;
    if (this.source === source) this.source = this.analyser = undefined;
  }
}

async function read(recording: string | Blob, signal: AbortSignal): Promise<ArrayBuffer> {
  if (typeof recording !== 'string') return recording.arrayBuffer();
  if (recording.startsWith('data:')) return bytesOf(recording);
  const response = await fetch(recording, { signal });
  if (!response.ok) throw new Error('The recording is not there');
  return response.arrayBuffer();
}

/** The bytes of a base64 data URL; the page's policy may not allow to `fetch` it. */
function bytesOf(url: string): ArrayBuffer {
  const text = atob(url.slice(url.indexOf(',') + 1));
  return Uint8Array.from(text, (character) => character.charCodeAt(0)).buffer;
}

/** The root mean square of an analyser's current samples. */
export function loudness(analyser: AnalyserNode): number {
  const samples = samplesOf(analyser);
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
}

/** The current samples of an analyser. */
export function samplesOf(analyser: AnalyserNode): Float32Array {
  const samples = new Float32Array(analyser.fftSize);
  analyser.getFloatTimeDomainData(samples);
  return samples;
}
