/** Counts by key. A key whose count is zero is not kept, so that it takes no memory. */
export class Counts {
  private readonly counts = new Map<string, number>();

  get(key: string): number {
    return this.counts.get(key) ?? 0;
  }

  /** @param change negative to take away */
  add(key: string, change: number): void {
    const count = this.get(key) + change;
    if (count > 0) this.counts.set(key, count);
    else this.counts.delete(key);
  }

  /** The keys whose count is this much or more. */
  atLeast(least: number): string[] {
    return [...this.counts].filter(([, count]) => count >= least).map(([key]) => key);
  }
}
