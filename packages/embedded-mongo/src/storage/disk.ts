import { closeSync, fsyncSync, openSync, statSync, statfsSync, truncateSync, writeSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname } from 'node:path';
import { CommandError } from '../wire/errors.js';

const { ENOSPC, EFBIG, EDQUOT, EIO } = constants.errno;
/** LMDB's code: the address space is full. */
const MAP_FULL = -30792;
/** LMDB's code: the transaction has already failed. */
const BAD_TXN = -30782;
/** LMDB reports a short write as EIO. */
const NO_ROOM = new Set<unknown>([ENOSPC, EFBIG, EDQUOT, EIO, MAP_FULL, BAD_TXN]);

/** An error of LMDB or of the operating system, as opposed to a CommandError. */
export function isStoreError(error: unknown): error is Error & { code: number } {
  return !(error instanceof CommandError) && typeof (error as { code?: unknown } | undefined)?.code === 'number';
}

/** Whether the disk or this process's quota is full. */
export const isFull = (error: unknown): error is Error => isStoreError(error) && NO_ROOM.has(error.code);

/** The error that a client gets for a failed commit. */
export function writeFailure(error: unknown): unknown {
  if (!isFull(error)) return error;
  return new CommandError('OutOfDiskSpace', `the store cannot be written to, its disk is full: ${error.message}`);
}

const RESERVE_BYTES = 8 * 1024 * 1024;
/** The reserve is recreated only if this much disk space is free. */
const FREE_BYTES = 2 * RESERVE_BYTES;

/**
 * Disk space reserved for deletes: LMDB never overwrites a page in place, so it needs new pages before it can free any.
 */
export class Reserve {
  /** The reserve could not be created. */
  private impossible = false;

  constructor(private readonly file: string) {}

  /** Creates the reserve if it is missing and there is enough free space. */
  keep(): void {
    try {
      if (this.impossible || this.size() >= RESERVE_BYTES || free(this.file) < FREE_BYTES) return;
      const handle = openSync(this.file, 'w', 0o600);
      try {
        // Not zeros: some file systems store those as a hole.
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

  /** Frees the reserved space. Returns whether there was any. */
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
