import { type ChildProcess, fork } from 'node:child_process';

/** The exit code of a thread or process whose optional packages are not installed. */
export const PACKAGES_ABSENT = 69;

/** What such a process holds in JavaScript is short-lived: it is collected early, for memory is what native code needs. */
const HEAP = '--max-semi-space-size=1';

/**
 * Starts a process for native code: without the service's environment, and without what a library prints.
 *
 * @param env its own
 */
export function startIsolated(
  file: URL,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ChildProcess {
  const { SystemRoot } = process.env;
  return fork(file, args, {
    env: SystemRoot === undefined ? { ...env } : { ...env, SystemRoot },
    execArgv: [HEAP],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}

/** In such a process: only the end of the service ends it, so that what is in progress at a Ctrl+C is finished. */
export function endWithService(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  process.on('disconnect', () => process.exit());
}

/** In such a process or thread: the exit code that tells of a failure to load. */
export function exitCodeOf({ code }: NodeJS.ErrnoException): number {
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND' ? PACKAGES_ABSENT : 1;
}
