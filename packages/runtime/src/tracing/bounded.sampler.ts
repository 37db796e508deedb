/** OpenTelemetry's decisions of a sampler. */
const [NOT, RECORDED] = [0, 2];
/** How many traces begin to be recorded at once, and in a second after that. All would take a tenth of a busy process. */
const AT_ONCE = 25;
const PER_SECOND = 10;

/** Records traces up to a rate, for those that begin in this process. */
export class BoundedSampler {
  private left = AT_ONCE;
  private at = performance.now();

  shouldSample(): { decision: number } {
    const now = performance.now();
    this.left = Math.min(AT_ONCE, this.left + ((now - this.at) / 1000) * PER_SECOND);
    this.at = now;
    if (this.left < 1) return { decision: NOT };
    this.left--;
    return { decision: RECORDED };
  }

  toString(): string {
    return `${PER_SECOND} a second`;
  }
}
