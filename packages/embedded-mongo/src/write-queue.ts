import { Reserve, isFull, isStoreError, writeFailure } from './disk.js';

interface Write {
  run: () => unknown;
  removes: boolean;
  resolve: (value: any) => void;
  reject: (error: unknown) => void;
}

/** What the queue writes to. */
export interface WriteTarget {
  readonly reserve?: Reserve;
  /** Runs in a transaction and resolves when it is on the disk. */
  transaction(run: () => void): Promise<void>;
  /** Called after a commit that failed, before the next transaction. */
  recover(): Promise<void>;
  /** Called when a write was refused because the disk is full. */
  refused(error: Error): void;
}

/** After a write that found no room, how long others are refused without trying, in milliseconds. */
const FULL_MS = 100;

/** What is to be written: all that waits goes into one transaction. */
export class WriteQueue {
  /** A transaction is in progress. */
  busy = false;
  private waiting: Write[] = [];
  private full?: { error: unknown; until: number };

  constructor(private readonly target: WriteTarget) {}

  add<T>(run: () => T, removes: boolean): Promise<T> {
    if (!removes && this.full && performance.now() < this.full.until) {
      return Promise.reject(writeFailure(this.full.error) as Error);
    }
    return new Promise((resolve, reject) => {
      this.waiting.push({ run, removes, resolve, reject });
      if (!this.busy) void this.drain();
    });
  }

  /** Resolves when nothing waits any more. */
  async idle(): Promise<void> {
    while (this.busy) await this.add(() => undefined, true).catch(() => undefined);
  }

  private async drain(): Promise<void> {
    this.busy = true;
    while (this.waiting.length) {
      const failed = await this.commit(() => this.waiting.splice(0));
      if (!failed) continue;
      const [first, ...more] = failed.batch;
      if (first && !more.length) await this.settle(first, failed.error);
      // One of them may be to blame for all.
      else for (const write of failed.batch) await this.alone(write);
    }
    this.busy = false;
  }

  private async alone(write: Write): Promise<void> {
    const failed = await this.commit(() => [write]);
    if (failed) await this.settle(write, failed.error);
  }

  /** After its own transaction has failed. */
  private async settle(write: Write, error: unknown): Promise<void> {
    if (isFull(error)) {
      if (write.removes && this.target.reserve?.release()) return this.alone(write);
      this.target.refused(error);
      this.full = { error, until: performance.now() + FULL_MS };
    }
    write.reject(writeFailure(error));
  }

  /** Commits writes together. Resolves to nothing, or to those whose commit failed. */
  private async commit(take: () => Write[]): Promise<{ batch: Write[]; error: unknown } | undefined> {
    let batch: Write[] | undefined;
    const finish: (() => void)[] = [];
    let broken: unknown;
    try {
      await this.target.transaction(() => {
        batch = take();
        for (const { run, resolve, reject } of batch) {
          try {
            const value = run();
            finish.push(() => resolve(value));
          } catch (error) {
            // After an error of LMDB's own it does not commit.
            if (isStoreError(error)) broken ??= error;
            finish.push(() => reject(error));
          }
        }
        if (broken) throw broken;
      });
      for (const end of finish) end();
      return undefined;
    } catch (error) {
      const reason = await causeOf(error);
      const cause = broken ?? reason;
      if (!batch) {
        // A transaction that could not even begin.
        for (const { reject } of take()) reject(writeFailure(cause));
        return undefined;
      }
      await this.target.recover();
      return { batch, error: cause };
    }
  }
}

/** LMDB rejects one promise with "Commit failed", and another one that hangs on that error with the reason. */
async function causeOf(error: unknown): Promise<unknown> {
  try {
    await (error as { commitError?: Promise<never> }).commitError;
    return error;
  } catch (cause) {
    return cause;
  }
}
