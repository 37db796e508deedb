/**
 * Coalesces reads by key: calls made while a read is in flight share the next one. Each result was read after its call.
 * If a read fails, the calls that wait for the next one fail too, since they would wait for the same database.
 */
export class Coalesced<T> {
  private waiting?: { keys: Set<string>; result: Promise<T> };
  private running?: Promise<T>;

  /** @param read reads values by key */
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
