import { pipeline } from 'node:stream/promises';
import { CommandError, systemCode } from './cli.errors.js';

type Streams = Record<'stdin', NodeJS.ReadableStream & { isTTY?: boolean }> &
  Record<'stdout' | 'stderr', NodeJS.WritableStream & { isTTY?: boolean }>;

/** Input and output of a command: the process's own streams, or those of a test. */
export class Terminal {
  constructor(private readonly streams: Streams = process) {
    // A reader that closes early, like `head`, is not an error; pipeline() reports everything else.
    for (const stream of [streams.stdout, streams.stderr]) stream.on('error', () => undefined);
  }

  /** Standard input; undefined if it is a terminal. */
  get input(): AsyncIterable<Buffer | string> | undefined {
    return this.streams.stdin.isTTY ? undefined : this.streams.stdin;
  }

  /** Whether standard error is a terminal, so that progress can be animated. */
  get isWatched(): boolean {
    return Boolean(this.streams.stderr.isTTY);
  }

  /**
   * Writes results to standard output with backpressure. Ends silently if the reader closes.
   *
   * @throws CommandError if they cannot be written, for example because the disk is full
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
