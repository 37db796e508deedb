/** How long a task waits for earlier ones, in milliseconds. */
const MAX_WAIT_MS = 5000;

interface Waiter {
  proceed(): void;
  fail(error: unknown): void;
}

/** Runs the tasks of each key sequentially; different keys run concurrently. */
export class KeyedQueues {
  private readonly queues = new Map<string, Waiter[]>();

  /** @param tooLong the error of a task that has waited for 5 s */
  constructor(private readonly tooLong: () => Error) {}

  /**
   * @param endsAll whether an error of a task also rejects all queued tasks of its key
   * @throws the error of `tooLong` if a task has waited for 5 s
   */
  async run<T>(key: string, task: () => Promise<T>, endsAll: (error: unknown) => boolean): Promise<T> {
    await this.enter(key);
    try {
      return await task();
    } catch (error) {
      if (endsAll(error)) for (const waiter of this.queues.get(key)!.splice(0)) waiter.fail(error);
      throw error;
    } finally {
      const next = this.queues.get(key)!.shift();
      if (next) next.proceed();
      else this.queues.delete(key);
    }
  }

  private enter(key: string): Promise<void> | undefined {
    const queue = this.queues.get(key);
    if (!queue) {
      this.queues.set(key, []);
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(waiter), 1);
        reject(this.tooLong());
      }, MAX_WAIT_MS);
      const waiter: Waiter = {
        proceed: () => {
          clearTimeout(timer);
          resolve();
        },
        fail: (error) => {
          clearTimeout(timer);
          reject(error instanceof Error ? error : this.tooLong());
        },
      };
      queue.push(waiter);
    });
  }
}
