import { setImmediate } from 'node:timers/promises';

/** How long other work waits. */
const SLICE_MS = 8;

/** The outcome of work that is done in steps, at once. */
export function atOnce<T>(work: Generator<void, T, void>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** The outcome of work that is done in steps, with time for other work in between. */
export async function inSlices<T>(work: Generator<void, T, void>): Promise<T> {
  await setImmediate();
  for (let since = performance.now(); ;) {
    const step = work.next();
    if (step.done) return step.value;
    if (performance.now() - since < SLICE_MS) continue;
    await setImmediate();
    since = performance.now();
  }
}
