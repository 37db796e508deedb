/**
 * The `AudioWorklet` processors for the microphone and the speaker of a live session. A separate script, which a
 * page serves beside its others.
 */
import { Resampler } from './resampler.js';

declare const sampleRate: number;
declare const currentTime: number;
declare function registerProcessor(name: string, processor: new () => Processor): void;
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
interface Processor {
  process(inputs: Float32Array[][], outputs: Float32Array[][]): boolean;
}

/** The sample rate on the wire, in Hz. */
const LIVE_RATE = 24_000;
/** 40 ms, in samples. */
const CHUNK_SAMPLES = 960;
/** How many blocks of 128 samples lie between two playback reports. */
const BLOCKS_PER_REPORT = 8;

/** Input of a muted microphone: Firefox delivers no samples for it. */
const SILENCE = new Float32Array(128);

/** Posts its input as `Int16Array`s of 40 ms, until it receives any message. */
class Capture extends AudioWorkletProcessor implements Processor {
  private readonly resampler = new Resampler(sampleRate, LIVE_RATE);
  private piece = new Int16Array(CHUNK_SAMPLES);
  private filled = 0;
  private isOver = false;

  constructor() {
    super();
    this.port.addEventListener('message', () => (this.isOver = true));
    this.port.start();
  }

  process([input]: Float32Array[][]): boolean {
    if (this.isOver) return false;
    for (const sample of this.resampler.push(input?.[0] ?? SILENCE)) {
      this.piece[this.filled++] = Math.max(-1, Math.min(1, sample)) * 32_767;
      if (this.filled < CHUNK_SAMPLES) continue;
      this.port.postMessage(this.piece, [this.piece.buffer]);
      this.piece = new Int16Array(CHUNK_SAMPLES);
      this.filled = 0;
    }
    return true;
  }
}

interface Message {
  item_id: string;
  samples: Int16Array;
}
interface Piece {
  item_id: string;
  samples: Float32Array;
}

/**
 * Plays `{ item_id, samples }` messages in order; `undefined` silences it immediately. Posts
 * `{ item_id, ms, at }`: how much of an item has been played at a context time; and `{}` when nothing is left.
 */
class Playback extends AudioWorkletProcessor implements Processor {
  private readonly resampler = new Resampler(LIVE_RATE, sampleRate);
  private queue: Piece[] = [];
  private at = 0;
  private item_id?: string;
  private played = 0;
  private blocks = 0;

  constructor() {
    super();
    this.port.addEventListener('message', ({ data }: MessageEvent<Message | undefined>) => {
      if (data) {
        const samples = this.resampler.push(Float32Array.from(data.samples, (sample) => sample / 32_768));
        this.queue.push({ item_id: data.item_id, samples });
      } else {
        this.queue = [];
        this.at = 0;
        this.item_id = undefined;
        this.port.postMessage({});
      }
    });
    this.port.start();
  }

  process(_: Float32Array[][], [output]: Float32Array[][]): boolean {
    const [first] = output!;
    const wasPlaying = this.queue.length > 0;
    let filled = 0;
    while (filled < first!.length && this.queue[0]) {
      const { item_id, samples } = this.queue[0];
      if (item_id !== this.item_id) {
        this.item_id = item_id;
        this.played = this.blocks = 0;
      }
      const part = samples.subarray(this.at, this.at + first!.length - filled);
      first!.set(part, filled);
      filled += part.length;
      this.at += part.length;
      this.played += part.length;
      if (this.at < samples.length) break;
      this.queue.shift();
      this.at = 0;
    }
    const isEmpty = this.queue.length === 0;
    if (wasPlaying && (isEmpty || this.blocks++ % BLOCKS_PER_REPORT === 0)) {
      this.port.postMessage({ item_id: this.item_id, ms: (this.played / sampleRate) * 1000, at: currentTime });
    }
    if (wasPlaying && isEmpty) this.port.postMessage({});
    return true;
  }
}

registerProcessor('live-capture', Capture);
registerProcessor('live-playback', Playback);
