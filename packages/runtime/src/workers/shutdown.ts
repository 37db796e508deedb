import { isReplaced, REPLACED_LIMIT_MS } from './worker.js';

/**
 * How long a process may take to end after its signal, in milliseconds. Every step of a shutdown has a shorter timeout;
 * this one covers what other teams' modules may wait for.
 */
const END_LIMIT_MS = 10_000;

/** Exits with code 1 if the shutdown after a signal hangs. */
export function exitIfShutdownHangs(): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      const limit = END_LIMIT_MS + (isReplaced() ? REPLACED_LIMIT_MS : 0);
      setTimeout(() => {
        console.error(`Still running ${limit / 1000} s after ${signal}: a shutdown step hangs`);
        process.exit(1);
      }, limit).unref();
    });
  }
}
