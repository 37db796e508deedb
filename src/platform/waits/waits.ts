/** A limit is counted in so many parts. */
const PARTS = 8;

/**
 * Calls back after a time in which this process was able to receive what it waits for: while other work blocks the event
 * loop, an answer that has arrived is not read, and no more than an eighth of the limit passes.
 *
 * @param limitMs milliseconds
 * @returns stops it
 */
export function afterLimit(limitMs: number, act: () => void): () => void {
  const part = limitMs / PARTS;
  let left = PARTS;
  const pass = () => {
    left--;
    if (left > 0) timer = setTimeout(pass, part).unref();
    else act();
  };
  let timer = setTimeout(pass, part).unref();
  return () => clearTimeout(timer);
}

/**
 * The outcome of work that may never end. The work itself goes on.
 *
 * @param limitMs milliseconds, counted as {@link afterLimit} does
 * @param late the error that is thrown after that time
 */
export function inTime<T>(work: Promise<T>, limitMs: number, late: () => Error): Promise<T> {
  let stop = () => {};
  const limit = new Promise<never>((_, reject) => {
    stop = afterLimit(limitMs, () => reject(late()));
  });
  return Promise.race([work, limit]).finally(stop);
}

/**
 * The outcome of work that may not look at its signal. The work itself goes on.
 *
 * @throws the signal's reason when it is aborted; one that is aborted already counts for nothing
 */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
  });
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', stop));
}
