/**
 * Reads by key, so that calls made while a read is in flight share the next one. What a call gets was read after it was
 * made. If a read fails, so do those that wait for it: they would wait for the same database.
 */
export class Coalesced<T> {
  private waiting?: { keys: Set<string>; result: Promise<T> };
  private running?: Promise<T>;

  /** @param read what is known of keys */
  constructor(private readonly read: (keys: readonly string[]) => Promise<T>) {}

  get(keys: readonly string[]): Promise<T> {
    if (!this.running) return this.start(new Set(keys));
    if (!this.waiting) {
      const joined = new Set<string>();
      this.waiting = {
        keys: joined,
        result: this.running.then(() => {
          this.waiting = undefined;
          return this.start(joined);
        }),
      };
      this.waiting.result.catch(() => (this.waiting = undefined));
    }
    for (const key of keys) this.waiting.keys.add(key);
    return this.waiting.result;
  }

  private start(keys: Set<string>): Promise<T> {
    const running: Promise<T> = this.read([...keys]).finally(() => {
      if (this.running === running) this.running = undefined;
    });
    this.running = running;
    return running;
  }
}
