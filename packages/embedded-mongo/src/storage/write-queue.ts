import { Reserve, isFull, isStoreError, roomFor, writeFailure } from './disk.js';

interface Write {
  run: () => unknown;
  removes: boolean;
  resolve: (value: any) => void;
  reject: (error: unknown) => void;
}

/** The destination of the queue's writes. */
export interface WriteTarget {
  readonly reserve?: Reserve;
  /** Runs in a transaction and resolves when it is on the disk. */
  transaction(run: () => void): Promise<void>;
  /** Called at the beginning of a transaction with the bytes that it may need: its first change fails if they are not free. */
  expectRoom(bytes: number): void;
  /** Called after a failed commit, before the next transaction. */
  recover(): Promise<void>;
  /** Called when a write was rejected because the disk is full. */
  refused(error: Error): void;
}

/** How long other writes are rejected without trying after one found the disk full, in milliseconds. */
const FULL_MS = 100;

/** Queues writes: everything that is waiting goes into one transaction. */
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

  /** Resolves when the queue is empty. */
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
      // A single write may have caused the failure of all.
      else for (const write of failed.batch) await this.alone(write);
    }
    this.busy = false;
  }

  private async alone(write: Write): Promise<void> {
    const failed = await this.commit(() => [write]);
    if (failed) await this.settle(write, failed.error);
  }

  /** Handles a write whose own transaction has failed. */
  private async settle(write: Write, error: unknown): Promise<void> {
    if (isFull(error)) {
      if (write.removes && this.target.reserve?.release()) return this.alone(write);
      this.target.refused(error);
      this.full = { error, until: performance.now() + FULL_MS };
    }
    write.reject(writeFailure(error));
  }

  /** Commits writes together. Resolves to undefined, or to the writes whose commit failed. */
  private async commit(take: () => Write[]): Promise<{ batch: Write[]; error: unknown } | undefined> {
    let batch: Write[] | undefined;
    const finish: (() => void)[] = [];
    let broken: unknown;
    try {
      await this.target.transaction(() => {
        batch = take();
        this.target.expectRoom(roomFor(batch));
        for (const { run, resolve, reject } of batch) {
          try {
            const value = run();
            finish.push(() => resolve(value));
          } catch (error) {
            // LMDB does not commit after an error of its own; the other one comes before anything is written.
            if (isStoreError(error)) throw (broken = error);
            finish.push(() => reject(error));
          }
        }
      });
      for (const end of finish) end();
      return undefined;
    } catch (error) {
      const reason = await causeOf(error);
      const cause = broken ?? reason;
      if (!batch) {
        // The transaction could not even begin.
        for (const { reject } of take()) reject(writeFailure(cause));
        return undefined;
      }
      await this.target.recover();
      return { batch, error: cause };
    }
  }
}

/** LMDB rejects one promise with "Commit failed". That error carries another promise, which rejects with the reason. */
async function causeOf(error: unknown): Promise<unknown> {
  try {
    await (error as { commitError?: Promise<never> }).commitError;
    return error;
  } catch (cause) {
    return cause;
  }
}
