import { networkError } from './error.js';

/** A promise that is given up with the signal's reason; what it waits for goes on. */
export function abortable<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** A wait that ends early with the signal. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout>;
  const over = new Promise<void>((resolve) => (timer = setTimeout(resolve, milliseconds)));
  return abortable(over, signal).finally(() => clearTimeout(timer));
}

/** One exchange with the service: it ends with the caller's signal, or when nothing has come for too long. */
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

  /** For `fetch`. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Waits for something from the network; where it fails, throws the caller's reason or an error of ours. */
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
      throw networkError(silent ? 'Nothing has come from the service for too long.' : 'The service cannot be reached.');
    } finally {
      clearTimeout(timer);
    }
  }

  end(): void {
    this.caller?.removeEventListener('abort', this.abort);
  }
}
