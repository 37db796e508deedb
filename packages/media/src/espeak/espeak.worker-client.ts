import { startThread } from 'avatar-chat-runtime/processes';
import type { SpeechSamples, Speech } from '../audio/speech.samples.js';
import type { StartSynthesisWorker } from '../synthesis/synthesis.queue.js';

/** From the service to its thread. The first element of `cancelled` becomes 1 when the job is cancelled. */
export interface ThreadJob<Job> {
  job: Job;
  cancelled: Int32Array<SharedArrayBuffer>;
}

/** Its audio is short-lived: collected late, it would take as much memory again as the synthesizer itself. */
const resourceLimits = { maxYoungGenerationSizeMb: 3 };

/** Runs jobs on a thread, which answers each message with speech. @param file the compiled thread */
export function espeakWorkerClient<Job>(file: URL): StartSynthesisWorker<Job> {
  return (onReport, onEnd) => {
    // Its output may contain the text to be spoken.
    const worker = startThread(file, resourceLimits);
    worker.on('message', (speech: Speech | SpeechSamples | undefined) => onReport(speech));
    worker.on('exit', onEnd);
    let cancelled: ThreadJob<Job>['cancelled'] | undefined;
    return {
      startJob: (job) => {
        cancelled = new Int32Array(new SharedArrayBuffer(4));
        worker.postMessage({ job, cancelled } satisfies ThreadJob<Job>);
      },
      cancelJob: () => cancelled && Atomics.store(cancelled, 0, 1),
      setBusy: (isBusy) => (isBusy ? worker.ref() : worker.unref()),
      terminate: () => worker.terminate(),
    };
  };
}
