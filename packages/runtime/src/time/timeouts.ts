import { setMaxListeners } from 'node:events';

/** Number of ticks that a time limit is divided into. */
const PARTS = 8;

/**
 * Calls back after the process was able to receive results for this long: if other work blocks the event loop, an
 * arrived response is not read, so a block counts for at most an eighth of the limit.
 *
 * @param limitMs milliseconds
 * @returns a function that stops it
 */
export function afterLimit(limitMs: number, act: () => void): () => void {
  const part = limitMs / PARTS;
  let left = PARTS;
  const countTick = () => {
    left--;
    if (left > 0) timer = setTimeout(countTick, part).unref();
    else act();
  };
  let timer = setTimeout(countTick, part).unref();
  return () => clearTimeout(timer);
}

/**
 * Waits for work with a timeout. The work itself is not cancelled.
 *
 * @param limitMs milliseconds, counted as by {@link afterLimit}
 * @param late the error to throw on timeout
 */
export function withTimeout<T>(work: Promise<T>, limitMs: number, late: () => Error): Promise<T> {
  let stop = () => {};
  const limit = new Promise<never>((_, reject) => {
    stop = afterLimit(limitMs, () => reject(late()));
  });
  return Promise.race([work, limit]).finally(stop);
}

/**
 * Waits for work that may ignore its signal. The work itself is not cancelled.
 *
 * @throws the signal's reason when it is aborted; a signal that is already aborted is ignored
 */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return raced(work, signal, () => {
    throw signal.reason;
  });
}

/** Waits for work that may ignore its signal. @returns undefined as soon as the signal is aborted */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return signal.aborted ? undefined : raced(work, signal, () => undefined);
}

/** Resolves when a signal is aborted, or at once if it is already. */
export function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

function raced<T, U>(work: Promise<T>, signal: AbortSignal, onAbort: () => U): Promise<T | U> {
  let stop = () => {};
  // Any number of callers may wait with one signal, and each removes its listener.
  setMaxListeners(0, signal);
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
    signal.addEventListener('abort', stop, { once: true });
  }).then(onAbort);
  return Promise.race([work, stopped]).finally(() => signal.removeEventListener('abort', stop));
}
