import { pipeline } from 'node:stream/promises';
import { CommandError, systemCode } from './cli.errors.js';

type Streams = Record<'stdin', NodeJS.ReadableStream & { isTTY?: boolean }> &
  Record<'stdout' | 'stderr', NodeJS.WritableStream & { isTTY?: boolean }>;

/** Where a command reads and writes: the process's own streams, or those of a test. */
export class Terminal {
  constructor(private readonly streams: Streams = process) {
    // A reader that leaves early, as `head` does, is no fault of ours; pipeline() reports the rest.
    for (const stream of [streams.stdout, streams.stderr]) stream.on('error', () => undefined);
  }

  /** The standard input; undefined where a person sits at it. */
  get input(): AsyncIterable<Buffer | string> | undefined {
    return this.streams.stdin.isTTY ? undefined : this.streams.stdin;
  }

  /** Whether a person looks at the standard error, so that what is drawn there can move. */
  get isWatched(): boolean {
    return Boolean(this.streams.stderr.isTTY);
  }

  /**
   * Writes results to standard output, no faster than they are read. Ends quietly where nobody reads on.
   *
   * @throws CommandError where they cannot be written, as on a full disk.
   */
  async print(results: string | AsyncIterable<string>): Promise<void> {
    let fault: unknown;
    async function* watched(): AsyncGenerator<string> {
      try {
        if (typeof results === 'string') yield results;
        else yield* results;
      } catch (error) {
        fault = error;
        throw error;
      }
    }
    try {
      await pipeline(watched(), this.streams.stdout, { end: false });
    } catch (error) {
      if (fault) throw fault;
      const code = systemCode(error);
      if (code !== 'EPIPE') throw new CommandError(`The results cannot be written (${code ?? 'unknown error'}).`);
    }
  }

  /** One line on standard error. */
  say(line: string): void {
    this.draw(`${line}\n`);
  }

  /** Anything on standard error, such as a bar that moves. */
  draw(text: string): void {
    this.streams.stderr.write(text);
  }
}
