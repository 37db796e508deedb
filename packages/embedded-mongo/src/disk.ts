import { closeSync, fsyncSync, openSync, statSync, statfsSync, truncateSync, writeSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname } from 'node:path';
import { CommandError } from './errors.js';

const { ENOSPC, EFBIG, EDQUOT, EIO } = constants.errno;
/** LMDB's own: the address space is full. */
const MAP_FULL = -30792;
/** LMDB's own: the transaction has failed before. */
const BAD_TXN = -30782;
/** A write that was cut short is an EIO to LMDB. */
const NO_ROOM = new Set<unknown>([ENOSPC, EFBIG, EDQUOT, EIO, MAP_FULL, BAD_TXN]);

/** An error of LMDB or of the system under it; errors of commands are not. */
export function isStoreError(error: unknown): error is Error & { code: number } {
  return !(error instanceof CommandError) && typeof (error as { code?: unknown } | undefined)?.code === 'number';
}

/** Whether an error says that the disk has no room, or none for this process. */
export const isFull = (error: unknown): error is Error => isStoreError(error) && NO_ROOM.has(error.code);

/** What a client is told of a commit that failed. */
export function writeFailure(error: unknown): unknown {
  if (!isFull(error)) return error;
  return new CommandError('OutOfDiskSpace', `the store cannot be written to, its disk is full: ${error.message}`);
}

const RESERVE_BYTES = 8 * 1024 * 1024;
/** The reserve is made anew only where so much is free beside it. */
const FREE_BYTES = 2 * RESERVE_BYTES;

/**
 * Room on the disk that is kept for removing: LMDB never overwrites a page, so it needs new ones before it can free any.
 */
export class Reserve {
  /** It could not be made. */
  private impossible = false;

  constructor(private readonly file: string) {}

  /** Makes it, where there is none and enough room. */
  keep(): void {
    try {
      if (this.impossible || this.size() >= RESERVE_BYTES || free(this.file) < FREE_BYTES) return;
      const handle = openSync(this.file, 'w', 0o600);
      try {
        // Not zeros, which some file systems do not store.
        const block = Buffer.alloc(1024 * 1024, 'room for removing ');
        for (let at = 0; at < RESERVE_BYTES; at += block.length) writeSync(handle, block);
        fsyncSync(handle);
      } finally {
        closeSync(handle);
      }
    } catch {
      this.impossible = true;
      this.release();
    }
  }

  /** Gives the room back to the disk. Returns whether there was any. */
  release(): boolean {
    try {
      if (this.size() === 0) return false;
      truncateSync(this.file, 0);
      return true;
    } catch {
      return false;
    }
  }

  private size(): number {
    return statSync(this.file, { throwIfNoEntry: false })?.size ?? 0;
  }
}

function free(file: string): number {
  const { bavail, bsize } = statfsSync(dirname(file));
  return bavail * bsize;
}
