import { endWithService, exitCodeOf } from '../processes/isolated.js';
import { SpeechStreams } from './speech.streams.js';
import type { RecognitionCommand, RecognitionReport } from './recognition.messages.js';
import type { RecognitionModel, Recognizer } from './recognizer.js';

interface Job {
  readonly id: number;
  readonly work: AsyncGenerator<void, string>;
  steps: number;
}

endWithService();

const recognizer = await load(JSON.parse(process.argv[2]!) as RecognitionModel);
const streams = new SpeechStreams(recognizer, report);
const jobs = new Map<number, Job>();
let busy = false;

process.on('message', (command: RecognitionCommand) => {
  if ('stream' in command) return streams.handle(command);
  if ('cancel' in command) jobs.delete(command.cancel);
  else jobs.set(command.id, { id: command.id, work: transcript(command.recording), steps: 0 });
  if (!busy) void run();
});
report('ready');

/** Steps of a recording in a row, enough for an utterance. */
const TURN = 30;

/** Recordings take turns, those with the fewest steps first, so that a short one does not wait for a long one. */
async function run(): Promise<void> {
  busy = true;
  while (jobs.size > 0) {
    const job = [...jobs.values()].reduce((first, one) => (turnsOf(one) < turnsOf(first) ? one : first));
    job.steps++;
    report({ at: job.id });
    const { done, value } = await job.work.next();
    if (done) report({ id: job.id, text: value });
    if (done) jobs.delete(job.id);
    // Lets commands arrive in between.
    await new Promise(setImmediate);
    if (!done && !jobs.has(job.id)) await job.work.return('');
  }
  busy = false;
}

function turnsOf({ steps }: Job): number {
  return Math.floor(steps / TURN);
}

async function* transcript(recording: Uint8Array): AsyncGenerator<void, string> {
  const { sherpa, detectors, decodes } = recognizer;
  if (!decodes) return '';
  // Decoders for recordings take memory, and live conversations need none.
  const { transcribe } = await import('./recording.transcript.js');
  return yield* transcribe(recording, sherpa, detectors, decodes);
}

async function load(model: RecognitionModel): Promise<Recognizer> {
  try {
    const { Recognizer } = await import('./recognizer.js');
    return await Recognizer.load(model);
  } catch (error) {
    process.exit(exitCodeOf(error as NodeJS.ErrnoException));
  }
}

function report(message: RecognitionReport): void {
  process.send!(message);
}
