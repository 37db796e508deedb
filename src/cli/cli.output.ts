import { pipeline } from 'node:stream/promises';
import { CommandError, systemCode } from './cli.errors.js';

// A reader that leaves early, as `head` does, is no fault of ours; pipeline() and complain() deal with the rest.
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);

/**
 * Writes results to standard output, no faster than they are read. Ends quietly where nobody reads on.
 *
 * @throws CommandError where they cannot be written, as on a full disk.
 */
export async function print(...results: string[]): Promise<void> {
  await printAll(results);
}

/** As {@link print}, for results that should not be in memory all at once. */
export async function printAll(results: Iterable<string> | AsyncIterable<string>): Promise<void> {
  let fault: unknown;
  async function* watched(): AsyncGenerator<string> {
    try {
      yield* results;
    } catch (error) {
      fault = error;
      throw error;
    }
  }
  try {
    await pipeline(watched(), process.stdout, { end: false });
  } catch (error) {
    if (fault) throw fault;
    const code = systemCode(error);
    if (code !== 'EPIPE') throw new CommandError(`The results cannot be written (${code ?? 'unknown error'}).`);
  }
}

/** One line for the person at the terminal. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
