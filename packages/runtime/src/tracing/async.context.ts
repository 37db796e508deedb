import { AsyncLocalStorage } from 'node:async_hooks';

/** How long after the last use, in milliseconds: what that has started may go on for a moment. */
const REST_MS = 5000;

/**
 * A value for a function and all that it starts. Before Node 24 each such storage slows down every promise of the process,
 * here only while it is in use.
 */
export class AsyncContext<T> {
  private readonly storage = new AsyncLocalStorage<T>();
  private users = 0;
  private timer?: NodeJS.Timeout;

  get value(): T | undefined {
    return this.storage.getStore();
  }

  /** Calls a function with a value. */
  run<R>(value: T, work: () => R): R {
    const release = this.holdValues();
    let result: R | undefined;
    try {
      result = this.storage.run(value, work);
      return result;
    } finally {
      if (result instanceof Promise) void result.then(release, release);
      else release();
    }
  }

  /** Keeps it in use, also for what no promise tells the end of. @returns what to call at the end */
  holdValues(): () => void {
    this.users++;
    clearTimeout(this.timer);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      if (--this.users > 0) return;
      this.timer = setTimeout(() => this.storage.disable(), REST_MS).unref();
    };
  }
}
