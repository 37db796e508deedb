import { RATE } from './spoken.audio.js';
import type { Sound } from './wrtc.js';

/** Milliseconds of audio that are passed on at a time, from process to process. */
const PIECE_MS = 40;
/** A filter that keeps the lower half of the frequencies: weights at distances 1, 3 and 5 from its middle, which weighs 1/2. */
const [NEAR, FAR, FARTHEST] = [0.3, -0.06, 0.01];
/** Samples before and after the one that is filtered. */
const REACH = 5;

/** What a client says, at whatever rate it arrives, as mono at 24 kHz in pieces of 40 ms. */
export class HeardAudio {
  private readonly piece = new Int16Array((RATE * PIECE_MS) / 1000);
  private filled = 0;
  /** 10 ms at twice the rate, after the end of what came before, and what becomes of them. */
  private readonly all = new Int16Array(2 * REACH + RATE / 50);
  private readonly half = new Int16Array(RATE / 100);

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

  /** Every other sample, without the frequencies that would be heard as others. Called 100 times a second: it leaves no garbage. */
  private halved(samples: Int16Array): Int16Array {
    const { all, half } = this;
    all.copyWithin(0, samples.length);
    all.set(samples, 2 * REACH);
    for (let at = 0, middle = REACH; at < half.length; at++, middle += 2) {
      const sum =
        all[middle]! / 2 +
        NEAR * (all[middle - 1]! + all[middle + 1]!) +
        FAR * (all[middle - 3]! + all[middle + 3]!) +
        FARTHEST * (all[middle - 5]! + all[middle + 5]!);
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
