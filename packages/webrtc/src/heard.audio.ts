import { RATE } from './spoken.audio.js';
import type { Sound } from './wrtc.js';

/** Milliseconds of audio that are passed on at a time. */
const PIECE_MS = 20;
/** A filter that keeps the lower half of the frequencies: weights at odd distances, symmetric around its middle, 1/2. */
const HALF_BAND = [0.3, -0.06, 0.01];
/** Samples before and after the one that is filtered. */
const REACH = 2 * HALF_BAND.length - 1;

/** What a client says, at whatever rate it arrives, as mono at 24 kHz in pieces of 20 ms. */
export class HeardAudio {
  private readonly piece = new Int16Array((RATE * PIECE_MS) / 1000);
  private filled = 0;
  /** The end of what came before. */
  private before = new Int16Array(2 * REACH);

  /** @param pass takes a piece, which it may keep */
  constructor(private readonly pass: (piece: Int16Array) => void) {}

  add({ samples, sampleRate, channelCount = 1 }: Sound): void {
    const mono = channelCount === 1 ? samples : samples.filter((_, at) => at % channelCount === 0);
    const resampled = sampleRate === 2 * RATE ? this.halved(mono) : repeated(mono, sampleRate);
    for (let at = 0; at < resampled.length;) {
      const part = resampled.subarray(at, at + this.piece.length - this.filled);
      this.piece.set(part, this.filled);
      this.filled += part.length;
      at += part.length;
      if (this.filled < this.piece.length) return;
      this.pass(this.piece.slice());
      this.filled = 0;
    }
  }

  /** Every other sample, without the frequencies that would be heard as others. */
  private halved(samples: Int16Array): Int16Array {
    const all = new Int16Array(this.before.length + samples.length);
    all.set(this.before);
    all.set(samples, this.before.length);
    this.before = all.slice(-2 * REACH);
    const half = new Int16Array(samples.length >> 1);
    for (let at = 0; at < half.length; at++) {
      const middle = REACH + 2 * at;
      let sum = all[middle]! / 2;
      for (const [n, weight] of HALF_BAND.entries())
        sum += weight * (all[middle - 2 * n - 1]! + all[middle + 2 * n + 1]!);
      half[at] = Math.max(-32_768, Math.min(32_767, Math.round(sum)));
    }
    return half;
  }
}

/** For codecs of telephones, whose samples are repeated. */
function repeated(samples: Int16Array, rate: number): Int16Array {
  const length = Math.floor((samples.length * RATE) / rate);
  return Int16Array.from({ length }, (_, at) => samples[Math.floor((at * rate) / RATE)]!);
}
