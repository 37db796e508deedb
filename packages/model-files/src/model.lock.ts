import { mkdir, rmdir, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ModelError } from './model.error.js';

const HEARTBEAT_MS = 2000;
/** Age of the heartbeat after which a lock counts as abandoned. */
const STALE_MS = 15_000;
const POLL_MS = 250;

/**
 * Runs a task while no other process does on this directory, which is created: the lock is a directory in it with a heartbeat.
 *
 * @param onWait is called once if another process has the lock
 * @throws ModelError also for whatever the file system refuses
 */
export async function withLock<T>(
  directory: string,
  onWait: (() => void) | undefined,
  work: () => Promise<T>,
): Promise<T> {
  try {
    await mkdir(directory, { recursive: true });
    return await runLocked(join(directory, '.lock'), work, onWait);
  } catch (error) {
    if (error instanceof ModelError) throw error;
    const { code = 'unknown error', path } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC') throw new ModelError('The disk is full.', { cause: error });
    throw new ModelError(`${path ?? directory} cannot be read or written (${code}).`, { cause: error });
  }
}

async function runLocked<T>(path: string, work: () => Promise<T>, onWait = () => {}): Promise<T> {
  for (let waited = false; !(await acquire(path)); await delay(POLL_MS)) {
    if (!waited) onWait();
    waited = true;
    if ((await ageOf(path)) > STALE_MS) await rmdir(path).catch(() => undefined);
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

/** Milliseconds since the last write to a file or directory; 0 if it is gone. */
export async function ageOf(path: string): Promise<number> {
  const now = Date.now();
  const found = await stat(path).catch(() => undefined);
  return now - (found?.mtimeMs ?? now);
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
