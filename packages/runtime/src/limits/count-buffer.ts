import { describeError } from '../logging/log-values.js';
import type { PartLogger } from '../logging/part.logger.js';

/** How long counts are buffered in memory, to save a write per turn; a crash loses them. */
const FLUSH_MS = 5000;

interface Buffered<S, N extends string> {
  readonly subject: S;
  readonly counts: Partial<Record<N, number>>;
}

/** Sums counts by subject in memory, and stores them every five seconds. What cannot be stored stays in it. */
export class CountBuffer<S extends object, N extends string> {
  private waiting = new Map<string, Buffered<S, N>>();
  private timer?: NodeJS.Timeout;
  private flushing: Promise<void> = Promise.resolve();
  private isStopping = false;

  /** @param store adds counts to the stored ones */
  constructor(
    private readonly store: (subject: S, counts: Partial<Record<N, number>>) => Promise<void>,
    private readonly logger: PartLogger,
  ) {}

  add(subject: S, counts: Partial<Record<N, number>>): void {
    this.sum(subject, counts);
    if (this.isStopping) void this.flush();
    else this.schedule();
  }

  /** Stores all counts. Never rejects. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    return (this.flushing = this.flushing.then(() => this.storeAll()));
  }

  /** Later counts are stored at once: the service is about to stop. */
  stop(): Promise<void> {
    this.isStopping = true;
    return this.flush();
  }

  /** Drops the counts of subjects that are about to be erased. */
  async drop(isErased: (subject: S) => boolean): Promise<void> {
    await this.flushing;
    for (const [key, { subject }] of this.waiting) if (isErased(subject)) this.waiting.delete(key);
  }

  private async storeAll(): Promise<void> {
    const waiting = [...this.waiting.values()];
    this.waiting = new Map();
    for (const [index, { subject, counts }] of waiting.entries()) {
      try {
        await this.store(subject, counts);
      } catch (error) {
        this.logger.warn({ counts: 'could not be stored', ...describeError(error) });
        for (const { subject: late, counts: more } of waiting.slice(index)) this.sum(late, more);
        if (!this.isStopping) this.schedule();
        return;
      }
    }
  }

  private schedule(): void {
    this.timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref();
  }

  private sum(subject: S, counts: Partial<Record<N, number>>): void {
    const key = Object.values(subject).join('/');
    const kept = this.waiting.get(key) ?? { subject, counts: {} as Partial<Record<N, number>> };
    for (const [name, count] of Object.entries(counts) as [N, number][])
      kept.counts[name] = (kept.counts[name] ?? 0) + count;
    this.waiting.set(key, kept);
  }
}
