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

/** How many pieces of work somebody waits for. */
let awaited = 0;

/** The outcome of work that is done in steps, with time for other work in between. */
export async function inSlices<T>(work: Generator<void, T, void>): Promise<T> {
  awaited++;
  try {
    return await sliced(work, setImmediate);
  } finally {
    awaited--;
  }
}

/** The same for work that nobody waits for yet: {@link inSlices} goes first. */
export function inBackground<T>(work: Generator<void, T, void>): Promise<T> {
  return sliced(work, async () => {
    do await setImmediate();
    while (awaited > 0);
  });
}

async function sliced<T>(work: Generator<void, T, void>, pause: () => Promise<void>): Promise<T> {
  await pause();
  for (let since = performance.now(); ;) {
    const step = work.next();
    if (step.done) return step.value;
    if (performance.now() - since < SLICE_MS) continue;
    await pause();
    since = performance.now();
  }
}
