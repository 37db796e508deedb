import { isReplaced, REPLACED_LIMIT_MS } from './worker.js';

/**
 * How long a process may take to end after its drain, in milliseconds. Every step of a shutdown has a shorter timeout;
 * this one covers what other teams' modules may wait for.
 */
const END_LIMIT_MS = 6000;

/**
 * Exits with code 1 if the shutdown after a signal hangs.
 *
 * @param shutdownMs how long the drain may take
 */
export function exitIfShutdownHangs(shutdownMs: number): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      const limit = shutdownMs + END_LIMIT_MS + (isReplaced() ? REPLACED_LIMIT_MS : 0);
      setTimeout(() => {
        console.error(`Still running ${limit / 1000} s after ${signal}: a shutdown step hangs`);
        process.exit(1);
      }, limit).unref();
    });
  }
}
