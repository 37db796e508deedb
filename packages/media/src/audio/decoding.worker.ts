import { parentPort } from 'node:worker_threads';
import { exitCodeOf } from 'avatar-chat-runtime/processes';
import type { DecodingAnswer, DecodingCommand } from './decoding.messages.js';
import type { Samples } from './recording.samples.js';
import { joined, liveSamples } from './samples.js';

/** A step of a recording ends after this much audio, or time. */
const STEP_SECONDS = 1;
const STEP_MS = 50;

/** A recording, and how many samples of its beginning are still to be left out. */
interface Recording {
  readonly chunks: AsyncGenerator<Samples, void>;
  skip: number;
}

// Decoders print every damaged packet.
console.error = () => undefined;

const port = parentPort!;
const { allSamplesOf, samplesOf } = await import('./recording.samples.js').catch((error: NodeJS.ErrnoException) =>
  process.exit(exitCodeOf(error)),
);
const recordings = new Map<number, Recording>();

port.on('message', async (command: DecodingCommand) => {
  if ('close' in command) return recordings.delete(command.id);
  const answer = await answerTo(command).catch((): DecodingAnswer => ({ failed: true }));
  port.postMessage(answer);
});

async function answerTo(command: Exclude<DecodingCommand, { close: true }>): Promise<DecodingAnswer> {
  if ('speech' in command) {
    const { samples, sampleRate } = await allSamplesOf(command.speech, command.seconds);
    return { samples: liveSamples(samples, sampleRate) };
  }
  if ('open' in command) {
    recordings.set(command.id, { chunks: samplesOf(command.open), skip: command.skip });
    return { chunks: [], isLast: false };
  }
  return step(recordings.get(command.id)!);
}

async function step(recording: Recording): Promise<DecodingAnswer> {
  const until = performance.now() + STEP_MS;
  const chunks: Samples[] = [];
  let seconds = 0;
  while (seconds < STEP_SECONDS && performance.now() < until) {
    // Damage ends the recording; what was decoded before it is used.
    const { value } = await recording.chunks.next().catch(() => ({ value: undefined }));
    if (!value) return { chunks: merged(chunks), isLast: true };
    const samples = value.samples.subarray(recording.skip);
    recording.skip -= value.samples.length - samples.length;
    if (samples.length === 0) continue;
    chunks.push({ ...value, samples });
    seconds += samples.length / value.sampleRate;
  }
  return { chunks: merged(chunks), isLast: false };
}

function merged(chunks: readonly Samples[]): Samples[] {
  const groups: { sampleRate: number; pieces: Float32Array[] }[] = [];
  for (const { samples, sampleRate } of chunks) {
    if (groups.at(-1)?.sampleRate !== sampleRate) groups.push({ sampleRate, pieces: [] });
    groups.at(-1)!.pieces.push(samples);
  }
  return groups.map(({ sampleRate, pieces }) => ({ sampleRate, samples: joined(pieces) }));
}
