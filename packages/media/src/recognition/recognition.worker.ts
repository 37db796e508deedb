import { DecodingError } from '../audio/decoding.worker-client.js';
import { endWithService, exitCodeOf, PACKAGES_ABSENT } from 'avatar-chat-runtime/processes';
import { SpeechStreams } from './streams/speech.streams.js';
import type { Transcript } from './recording.transcript.js';
import type { RecognitionCommand, RecognitionReport } from './recognition.messages.js';
import type { RecognitionModel, Recognizer } from './recognizer.js';

interface Job {
  readonly id: number;
  readonly work: AsyncGenerator<void, Transcript>;
  /** Milliseconds that it has taken. */
  spent: number;
}

endWithService();

const recognizer = await load(JSON.parse(process.argv[2]!) as RecognitionModel);
const streams = new SpeechStreams(recognizer, report);
const jobs = new Map<number, Job>();
let busy = false;
/** The recording whose step is in progress. */
let working: number | undefined;

process.on('message', (command: RecognitionCommand) => {
  if ('stream' in command) return streams.handle(command);
  if ('cancel' in command) cancel(command.cancel);
  else jobs.set(command.id, { id: command.id, work: transcript(command.id, command.recording), spent: 0 });
  if (!busy) void run();
});
report('ready');

/** Milliseconds for a recording in a row. */
const TURN_MS = 500;
const NOTHING: Transcript = { text: '', seconds: 0 };

function cancel(id: number): void {
  // The one in progress is reported after its step.
  if (jobs.delete(id) && id !== working) report({ id, text: '' });
}

/** Recordings take turns, those that have taken the least time first, so that a short one does not wait for a long one. */
async function run(): Promise<void> {
  busy = true;
  while (jobs.size > 0) {
    const job = [...jobs.values()].reduce((first, one) => (turnsOf(one) < turnsOf(first) ? one : first));
    const began = performance.now();
    working = job.id;
    report({ at: job.id });
    const { done, value } = await job.work.next().catch(exit);
    job.spent += performance.now() - began;
    // Lets commands arrive in between.
    await new Promise(setImmediate);
    working = undefined;
    const isCancelled = !jobs.has(job.id);
    if (isCancelled && !done) await job.work.return(NOTHING);
    if (done) jobs.delete(job.id);
    if (done || isCancelled) report({ id: job.id, ...(done ? value : NOTHING) });
  }
  busy = false;
}

function turnsOf({ spent }: Job): number {
  return Math.floor(spent / TURN_MS);
}

async function* transcript(id: number, recording: Uint8Array): AsyncGenerator<void, Transcript> {
  const { sherpa, detectors, decodes } = recognizer;
  if (!decodes) return NOTHING;
  // Decoders for recordings take memory, and live conversations need none.
  const { transcribe } = await import('./recording.transcript.js');
  return yield* transcribe(recording, sherpa, detectors, decodes.sharedBy(`recording ${id}`));
}

async function load(model: RecognitionModel): Promise<Recognizer> {
  try {
    const { Recognizer } = await import('./recognizer.js');
    return await Recognizer.load(model);
  } catch (error) {
    exit(error);
  }
}

function exit(error: unknown): never {
  const isAbsent = error instanceof DecodingError && error.isPackageAbsent;
  process.exit(isAbsent ? PACKAGES_ABSENT : exitCodeOf(error as NodeJS.ErrnoException));
}

function report(message: RecognitionReport): void {
  process.send!(message);
}
