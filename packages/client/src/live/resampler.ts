/** Zero crossings of the filter on each side. */
const CROSSINGS = 8;
/** Table entries of the filter between two zero crossings. */
const STEPS = 256;

/** The right half of a low-pass filter: a Blackman-windowed sinc. */
const KERNEL = Float32Array.from({ length: CROSSINGS * STEPS + 1 }, (_, n) => {
  const x = n / STEPS;
  const sinc = x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
  const phase = (Math.PI * x) / CROSSINGS;
  return sinc * (0.42 + 0.5 * Math.cos(phase) + 0.08 * Math.cos(2 * phase));
});

/** Converts the sample rate of chunked audio, without aliasing or seams between chunks. */
export class Resampler {
  private readonly step: number;
  private readonly cutoff: number;
  private readonly reach: number;
  /** The samples that later output still needs. */
  private kept: Float32Array;
  /** The position in `kept` of the next output sample. */
  private at: number;

  constructor(from: number, to: number) {
    this.step = from / to;
    this.cutoff = Math.min(1, to / from);
    this.reach = Math.ceil(CROSSINGS / this.cutoff);
    this.kept = new Float32Array(this.reach);
    this.at = this.reach;
  }

  push(samples: Float32Array): Float32Array {
    const { reach, cutoff, step } = this;
    const all = new Float32Array(this.kept.length + samples.length);
    all.set(this.kept);
    all.set(samples, this.kept.length);
    const out = new Float32Array(Math.max(0, Math.ceil((all.length - reach - this.at) / step)));
    for (let n = 0; n < out.length; n++, this.at += step) {
      let sum = 0;
      const middle = Math.floor(this.at);
      for (let k = middle - reach + 1; k <= middle + reach; k++) {
        sum += all[k]! * (KERNEL[Math.round(Math.abs(k - this.at) * cutoff * STEPS)] ?? 0);
      }
      out[n] = sum * cutoff;
    }
    const done = Math.max(0, Math.floor(this.at) - reach);
    this.kept = all.slice(done);
    this.at -= done;
    return out;
  }
}
