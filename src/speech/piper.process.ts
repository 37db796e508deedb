import { type PiperJob, PiperSynthesizer } from './piper.synthesis.js';
import type { Speech } from './speaker.js';
import { PACKAGES_ABSENT } from './synthesis.queue.js';

/** From the service to this process. */
export type PiperOrder = { job: PiperJob } | 'cancel';
/** From this process to the service, for each job. */
export type PiperReport = { speech: Speech | undefined };

// Only the end of the service ends it, so that what is in progress at a Ctrl+C is finished.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit());

const loading = PiperSynthesizer.load(process.argv[2]!);
loading.catch(fail);
let isCancelled = false;

process.on('message', (order: PiperOrder) => {
  isCancelled = order === 'cancel';
  if (order !== 'cancel') void work(order.job).catch(fail);
});

async function work(job: PiperJob): Promise<void> {
  const speech = await (await loading).synthesize(job, () => isCancelled);
  process.send!({ speech } satisfies PiperReport);
}

/** What failed once is not to be trusted. */
function fail(error: NodeJS.ErrnoException): never {
  process.exit(error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'MODULE_NOT_FOUND' ? PACKAGES_ABSENT : 1);
}
