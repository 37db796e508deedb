import { type ChildProcess, fork } from 'node:child_process';

/** Exit code of a thread or process whose optional packages are not installed. */
export const PACKAGES_ABSENT = 69;

/** JavaScript objects of such a process are short-lived: they are collected early, to leave memory to native code. */
const HEAP = '--max-semi-space-size=1';

/**
 * Starts a child process for native code: without the service's environment, and with the libraries' output discarded.
 *
 * @param env its environment
 * @throws Error if it cannot be started
 */
export function startIsolated(
  file: URL,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ChildProcess {
  const { SystemRoot } = process.env;
  const child = fork(file, args, {
    env: SystemRoot === undefined ? { ...env } : { ...env, SystemRoot },
    execArgv: [HEAP],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  child.on('error', () => undefined); // thrown below, or the exit event follows
  // For some errors, Node throws nothing, and the child has no exit event, or no channel either.
  if (child.pid === undefined) throw new Error('The process could not be started');
  return child;
}

/**
 * For use in such a process: ignores signals, so that work in progress at a Ctrl+C is finished. It ends with the
 * service.
 */
export function endWithService(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  process.on('disconnect', () => process.exit());
}

/** For use in such a process or thread: the exit code for a failed import. */
export function exitCodeOf({ code }: NodeJS.ErrnoException): number {
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND' ? PACKAGES_ABSENT : 1;
}
