/** Buffers samples until they are no longer needed. */
export class SampleBuffer {
  /** Position of the first kept sample, from the beginning of the recording. */
  start = 0;
  private samples = new Float32Array(65_536);
  private length = 0;

  /** @param kept samples that are kept at least; omitted: all that are not dropped */
  constructor(private readonly kept = Infinity) {}

  /** Number of samples received. */
  get end(): number {
    return this.start + this.length;
  }

  append(more: Float32Array): void {
    if (this.length + more.length > this.samples.length) {
      const larger = new Float32Array(2 * (this.length + more.length));
      larger.set(this.samples.subarray(0, this.length));
      this.samples = larger;
    }
    this.samples.set(more, this.length);
    this.length += more.length;
    this.dropBefore(this.end - this.kept);
  }

  /** The kept samples from a position on, until the next ones are added. */
  from(position: number): Float32Array {
    return this.samples.subarray(position - this.start, this.length);
  }

  /** A copy of the kept samples of a span, padded with silence. */
  slice(start: number, end: number, before = 0, after = 0): Float32Array {
    const from = Math.max(0, start - this.start);
    const part = this.samples.subarray(from, Math.max(from, Math.min(this.end, end) - this.start));
    const copy = new Float32Array(before + part.length + after);
    copy.set(part, before);
    return copy;
  }

  /** Drops everything before a sample. */
  dropBefore(position: number): void {
    const count = Math.min(this.length, Math.max(0, position - this.start));
    if (count < this.length / 2) return;
    this.samples.copyWithin(0, count, this.length);
    this.start += count;
    this.length -= count;
  }
}
