import { endWithService, exitCodeOf } from 'avatar-chat-runtime/processes';
import { type PiperJob, PiperSynthesizer } from './piper.synthesizer.js';
import type { SpeechSamples, Speech } from '../audio/speech.samples.js';

/** From the service to this process. */
export type PiperCommand = { job: PiperJob } | 'cancel';
/** From this process to the service, for each job. */
export type PiperReport = { speech: Speech | SpeechSamples | undefined };

endWithService();

const loading = PiperSynthesizer.load(process.argv[2]!);
loading.catch(fail);
let isCancelled = false;

process.on('message', (command: PiperCommand) => {
  isCancelled = command === 'cancel';
  if (command !== 'cancel') void runJob(command.job).catch(fail);
});

async function runJob(job: PiperJob): Promise<void> {
  const speech = await (await loading).synthesize(job, () => isCancelled);
  process.send!({ speech } satisfies PiperReport);
}

/** After a failure the process may be corrupt. */
function fail(error: NodeJS.ErrnoException): never {
  process.exit(exitCodeOf(error));
}
