import { parentPort } from 'node:worker_threads';
import { PACKAGES_ABSENT } from 'avatar-chat-runtime/processes';
import { createSynthesizer, type EspeakJob } from './espeak.synthesizer.js';
import type { ThreadJob } from './espeak.worker-client.js';

const port = parentPort!;
const synthesize = await createSynthesizer().catch((error: NodeJS.ErrnoException) => {
  if (error.code === 'ERR_MODULE_NOT_FOUND') process.exit(PACKAGES_ABSENT);
  throw error;
});
// After a failure the synthesizer may be corrupt: the thread exits.
port.on('message', ({ job, cancelled }: ThreadJob<EspeakJob>) => {
  const speech = synthesize(job, () => Atomics.load(cancelled, 0) === 1);
  const content = speech && ('samples' in speech ? speech.samples : speech.audio);
  port.postMessage(speech, content ? [content.buffer as ArrayBuffer] : []);
});
