/**
 * How long a process may take to end after its signal, in milliseconds. Every step of a shutdown has a bound of its own
 * below that; this one is for what a module of another team may wait for.
 */
const END_LIMIT_MS = 10_000;

/** Ends this process for certain, with code 1, when it has been told to and its shutdown hangs. */
export function endInTime(): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      setTimeout(() => {
        console.error(`Not ended ${END_LIMIT_MS / 1000} s after ${signal}: something waits for ever`);
        process.exit(1);
      }, END_LIMIT_MS).unref();
    });
  }
}
