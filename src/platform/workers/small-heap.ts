import { setFlagsFromString } from 'node:v8';
import type { Worker } from 'node:worker_threads';

/** By how much V8 multiplies its space for young objects where it is too small: the default, and not at all. */
const [GROWING, FIXED] = [2, 1];
/**
 * By how many per cent V8 lets the space for old objects grow until it collects garbage there, from the first start on. As it sees
 * fit, that may be a tenth: pages of histories, whose bytes it counts, would then collect all of it every hundred requests.
 */
const OLD_GROWTH = 75;

let keepers = 0;

/**
 * Keeps V8's heap small until each returned function has been called, for some more processor time. The objects of a start
 * would make its space for young objects some 30 MiB, which an idle process would keep for minutes; the sound of live
 * sessions and videos, too, and what is outside V8's heap would wait longer to be freed.
 */
export function keepHeapSmall(): () => void {
  if (keepers++ === 0) setGrowth(FIXED);
  if (!process.listeners('worker').includes(growAfterStart)) process.on('worker', growAfterStart);
  let keeps = true;
  return () => {
    if (keeps && --keepers === 0) setGrowth(GROWING);
    keeps = false;
  };
}

/** When a thread begins, V8 takes up its default for all of them. */
function growAfterStart(worker: Worker): void {
  worker.once('online', () => setGrowth(keepers > 0 ? FIXED : GROWING));
}

function setGrowth(young: number): void {
  setFlagsFromString(`--semi-space-growth-factor=${young}`);
  setFlagsFromString(`--heap-growing-percent=${OLD_GROWTH}`);
}
