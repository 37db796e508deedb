import { networkError } from './error.js';

/** Rejects with the signal's reason on abort. The underlying work continues. */
export function abortable<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Resolves after a delay, or rejects early on abort. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout>;
  const over = new Promise<void>((resolve) => (timer = setTimeout(resolve, milliseconds)));
  return abortable(over, signal).finally(() => clearTimeout(timer));
}

/** One exchange with the service. It ends when the caller's signal aborts, or after a timeout without data. */
export class Exchange {
  private readonly controller = new AbortController();
  private readonly abort = () => this.controller.abort();

  constructor(
    private readonly timeout: number,
    readonly caller?: AbortSignal,
  ) {
    caller?.addEventListener('abort', this.abort);
    if (caller?.aborted) this.abort();
  }

  /** The signal to pass to `fetch`. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Waits for a network operation. On failure, throws the caller's abort reason or a network error. */
  async wait<T>(something: Promise<T>): Promise<T> {
    let silent = false;
    const timer = setTimeout(() => {
      silent = true;
      this.abort();
    }, this.timeout);
    try {
      return await something;
    } catch {
      if (this.caller?.aborted) throw this.caller.reason;
      throw networkError(silent ? 'The service sent nothing for too long.' : 'The service cannot be reached.');
    } finally {
      clearTimeout(timer);
    }
  }

  dispose(): void {
    this.caller?.removeEventListener('abort', this.abort);
  }
}
