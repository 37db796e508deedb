/**
 * The outcome of work that may never end. The work itself goes on.
 *
 * @param limitMs milliseconds
 * @param late the error that is thrown after that time
 */
export function inTime<T>(work: Promise<T>, limitMs: number, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), limitMs).unref();
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
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
