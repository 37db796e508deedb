import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * A value for a function and all that it starts. Before Node 24 each such storage slows down every promise of the process,
 * here only while it is in use.
 */
export class AsyncContext<T> {
  private readonly storage = new AsyncLocalStorage<T>();
  private users = 0;

  get value(): T | undefined {
    return this.storage.getStore();
  }

  /** Calls a function with a value, which what it starts has until the end of its promise, or as long as somebody holds it. */
  run<R>(value: T, work: () => R): R {
    const release = this.holdValues(0);
    let result: R | undefined;
    try {
      result = this.storage.run(value, work);
      return result;
    } finally {
      if (result instanceof Promise) void result.then(release, release);
      else release();
    }
  }

  /** Keeps it in use, and for some milliseconds after the end. @returns what to call at the end */
  holdValues(restMs: number): () => void {
    this.users++;
    let isHeld = true;
    const end = () => {
      if (--this.users === 0) this.storage.disable();
    };
    return () => {
      if (!isHeld) return;
      isHeld = false;
      if (restMs > 0) setTimeout(end, restMs).unref();
      else end();
    };
  }
}
