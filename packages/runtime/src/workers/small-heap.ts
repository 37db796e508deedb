import { setFlagsFromString } from 'node:v8';
import type { Worker } from 'node:worker_threads';

/** V8's growth factor for a full young generation: the default, and no growth. */
const [GROWING, FIXED] = [2, 1];
/**
 * Growth of the old generation, in per cent, before V8 collects it, from startup on. V8's own choice may be a tenth:
 * pages of histories, whose bytes it counts, would then cause a full collection every hundred requests.
 */
const OLD_GROWTH = 75;
/** The same while much is opened that stays, whose garbage would otherwise be kept with it. */
const SMALL_OLD_GROWTH = 25;

const keepers = { young: 0, old: 0 };

/**
 * Keeps V8's heap small until each returned function has been called, at the cost of some CPU time. Otherwise the
 * objects of the startup would grow the young generation by some 30 MiB, which an idle process keeps for minutes; so
 * would the audio of live sessions and videos, and memory outside V8's heap would be freed later.
 *
 * @param old whether V8 also collects the old generation more often
 */
export function keepHeapSmall(old = false): () => void {
  const change = (by: number) => {
    keepers.young += by;
    if (old) keepers.old += by;
    setGrowth();
  };
  change(1);
  if (!process.listeners('worker').includes(growAfterStart)) process.on('worker', growAfterStart);
  let keeps = true;
  return () => {
    if (keeps) change(-1);
    keeps = false;
  };
}

/** When a thread starts, V8 resets this flag to its default for all threads. */
function growAfterStart(worker: Worker): void {
  worker.once('online', () => setGrowth());
}

function setGrowth(): void {
  setFlagsFromString(`--semi-space-growth-factor=${keepers.young > 0 ? FIXED : GROWING}`);
  setFlagsFromString(`--heap-growing-percent=${keepers.old > 0 ? SMALL_OLD_GROWTH : OLD_GROWTH}`);
}
