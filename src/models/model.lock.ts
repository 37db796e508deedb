import { mkdir, rmdir, stat, utimes } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

const HEARTBEAT_MS = 2000;
/** A lock without a heartbeat for so long is that of a process that is gone. */
const STALE_MS = 15_000;
const POLL_MS = 250;

/**
 * Does something while no other process on this directory does: the lock is a directory, whose time is renewed.
 *
 * @param onWait is called once if another process has the lock
 */
export async function withLock<T>(
  path: string,
  work: () => Promise<T>,
  onWait: () => void = () => undefined,
): Promise<T> {
  for (let waited = false; !(await acquire(path)); await delay(POLL_MS)) {
    if (!waited) onWait();
    waited = true;
    const age =
      Date.now() -
      (await stat(path).then(
        ({ mtimeMs }) => mtimeMs,
        () => Date.now(),
      ));
    if (age > STALE_MS) await rmdir(path).catch(() => undefined);
  }
  const heartbeat = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined);
  }, HEARTBEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    await rmdir(path).catch(() => undefined);
  }
}

async function acquire(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
