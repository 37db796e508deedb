import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';

const EVERY_MS = 100;

/**
 * Kills a child process while its resident memory is above a limit, which native code and WebAssembly have none of. Where
 * the system does not tell (only Linux does), there is no limit.
 *
 * @param limit bytes
 * @returns ends the limit
 */
export function limitMemory(child: ChildProcess, limit: number): () => void {
  const file = `/proc/${child.pid}/status`;
  const timer = setInterval(() => {
    readFile(file, 'latin1').then(
      (status) => {
        const kilobytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
        if (kilobytes * 1024 > limit) child.kill('SIGKILL');
      },
      () => clearInterval(timer),
    );
  }, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
