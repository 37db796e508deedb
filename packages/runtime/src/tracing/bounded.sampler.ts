/** How many traces begin to be recorded in a second, and at once after a pause. All would take a tenth of a busy process. */
const PER_SECOND = 10;

/** Records traces up to a rate, for those that begin in this process. */
export class BoundedSampler {
  private left = PER_SECOND;
  private at = performance.now();

  /** Whether one that begins now is recorded. */
  admitTrace(): boolean {
    const now = performance.now();
    this.left = Math.min(PER_SECOND, this.left + ((now - this.at) / 1000) * PER_SECOND);
    this.at = now;
    if (this.left < 1) return false;
    this.left--;
    return true;
  }
}
