import { parentPort } from 'node:worker_threads';
import { createSynthesizer, PACKAGES_ABSENT, type SynthesisJob } from './espeak.synthesis.js';
import type { Speech } from './speaker.js';

/** From the service to its thread. The first number of `cancelled` becomes 1 when nobody waits for the job any more. */
export interface SynthesisOrder {
  job: SynthesisJob;
  cancelled: Int32Array<SharedArrayBuffer>;
}

/** From the thread to the service, for each order. After a failure the synthesizer is not to be trusted: the thread ends. */
export type SynthesisReport = Speech | undefined;

const port = parentPort!;
const synthesize = await createSynthesizer().catch((error: NodeJS.ErrnoException) => {
  if (error.code === 'ERR_MODULE_NOT_FOUND') process.exit(PACKAGES_ABSENT);
  throw error;
});
port.on('message', ({ job, cancelled }: SynthesisOrder) => {
  const speech: SynthesisReport = synthesize(job, () => Atomics.load(cancelled, 0) === 1);
  port.postMessage(speech, speech ? [speech.audio.buffer as ArrayBuffer] : []);
});
