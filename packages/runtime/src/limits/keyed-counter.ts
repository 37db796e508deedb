/** Counts by key. A key whose count is zero is dropped, so that it takes no memory. */
export class Counts {
  private readonly counts = new Map<string, number>();

  get(key: string): number {
    return this.counts.get(key) ?? 0;
  }

  /** @param change negative to subtract */
  add(key: string, change: number): void {
    const count = this.get(key) + change;
    if (count > 0) this.counts.set(key, count);
    else this.counts.delete(key);
  }
}
