import { closeSync, fsyncSync, openSync, statSync, statfsSync, truncateSync, writeSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname } from 'node:path';
import type { Database, RootDatabase } from 'lmdb';
import { CommandError } from '../wire/errors.js';

const { ENOSPC, EFBIG, EDQUOT, EIO } = constants.errno;
/** LMDB's code: the address space is full. */
const MAP_FULL = -30792;
/** LMDB's code: the transaction has already failed. */
const BAD_TXN = -30782;
/** LMDB reports a short write as EIO. */
const NO_ROOM = new Set<unknown>([ENOSPC, EFBIG, EDQUOT, EIO, MAP_FULL, BAD_TXN]);

/** The number of an error of LMDB, or of the operating system, whose code Node names. */
function codeOf(error: unknown): number | undefined {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'number' ? code : (constants.errno as Record<string, number>)[String(code)];
}

/** An error of LMDB or of the operating system, as opposed to a CommandError. */
export const isStoreError = (error: unknown): error is Error =>
  !(error instanceof CommandError) && codeOf(error) !== undefined;

/** Whether the disk or this process's quota is full. */
export const isFull = (error: unknown): error is Error => isStoreError(error) && NO_ROOM.has(codeOf(error));

/** The error that a client gets for a failed commit. */
export function writeFailure(error: unknown): unknown {
  if (!isFull(error)) return error;
  return new CommandError('OutOfDiskSpace', `the store cannot be written to, its disk is full: ${error.message}`);
}

const MIB = 1024 * 1024;
const RESERVE_BYTES = 8 * MIB;
/** The reserve is recreated only if this much disk space is free. */
const FREE_BYTES = 2 * RESERVE_BYTES;

/** Disk space for deletes: LMDB overwrites no page in place, so it needs new pages before it can free any. */
export class Reserve {
  /** The reserve could not be created. */
  private impossible = false;

  constructor(private readonly file: string) {}

  /** Creates the reserve if it is missing and there is enough free space. */
  keep(): void {
    try {
      if (this.impossible || this.size() >= RESERVE_BYTES || free(this.file) < FREE_BYTES) return;
      allocate(this.file, { flags: 'w', at: 0, bytes: RESERVE_BYTES, sync: true });
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

/** The file's space that a transaction may need, in bytes. Removals get what others leave. */
export const roomFor = (writes: readonly { removes: boolean }[]): number =>
  writes.every(({ removes }) => removes) ? 2 * MIB : (4 + writes.length / 16) * MIB;

type Pages = Record<'treeBranchPageCount' | 'treeLeafPageCount' | 'overflowPages', number>;
type Statistics = Pages & { root: Pages; free: Pages; pageSize: number; lastPageNumber: number };

/**
 * Makes room in the file for a write transaction, which has begun. Otherwise LMDB finds the disk full itself, and then
 * lmdb 3.5.6 writes a message beyond its buffer, which sooner or later ends the process. @throws Error if there is none
 */
export function makeRoom(file: string, root: RootDatabase, tables: Database[], needed: number): void {
  const { pageSize, lastPageNumber, root: names, free: unused } = root.getStats() as Statistics;
  let left = lastPageNumber + 1;
  const end = left * pageSize;
  const behind = () => statSync(file).size - end;
  if (behind() >= needed) return;
  try {
    allocate(file, { flags: 'r+', at: end + behind(), bytes: needed - behind() + MIB });
  } catch (error) {
    // If the file cannot be opened once more, LMDB goes on with what it has.
    if (!isFull(error) || behind() >= needed) return;
    for (const tree of [names, unused, ...tables.map((table) => table.getStats() as Statistics)])
      left -= tree.treeBranchPageCount + tree.treeLeafPageCount + tree.overflowPages;
    // Pages within the file serve, too, but not all of them at once, nor for long values.
    if (behind() < MIB || behind() + left * pageSize < needed) throw error;
  }
}

/** Writes something that uses disk space. Not zeros: some file systems store those as a hole. */
function allocate(file: string, { flags, at, bytes, sync }: { flags: string; at: number; bytes: number; sync?: true }) {
  const handle = openSync(file, flags, 0o600);
  try {
    const block = Buffer.alloc(Math.min(bytes, MIB), 'room for what comes ');
    for (let done = 0; done < bytes;)
      done += writeSync(handle, block, 0, Math.min(block.length, bytes - done), at + done);
    if (sync) fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function free(file: string): number {
  const { bavail, bsize } = statfsSync(dirname(file));
  return bavail * bsize;
}
