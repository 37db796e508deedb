import { existsSync, linkSync, rmSync, writeFileSync } from 'node:fs';
import { threadId } from 'node:worker_threads';
import { open } from 'lmdb';
import type { Database, RootDatabase } from 'lmdb';
import { checkHeader } from './header.js';

export type Table = Database<Buffer, Buffer>;

/** An open LMDB file: ordered tables for documents and for index entries, and one for the catalogue. */
export interface Environment {
  root: RootDatabase;
  docs: Table;
  keys: Table;
  meta: Table;
}

const binary = { keyEncoding: 'binary', encoding: 'binary' } as const;
const FORMAT = Buffer.from('format');
const VERSION = 'embedded-mongo 1';
/** Address space only. LMDB grows the map when it is full, but then the old mapping stays beside the new one. */
const MAP_BYTES = 2 ** 34;

const MAX_READERS = 512;
/** Sizes in LMDB's lock file: the header, which includes the first reader entry, and each further entry. */
const LOCK_HEADER = 272;
const LOCK_ENTRY = 64;

/**
 * LMDB maps its lock file into memory and leaves it sparse: on a full disk, touching an unallocated page would kill the
 * process. So the file is fully allocated first, and appears atomically.
 */
function makeLockFile(file: string): void {
  if (existsSync(file)) return;
  const made = `${file}-${process.pid}-${threadId}`;
  try {
    writeFileSync(made, Buffer.alloc(LOCK_HEADER + (MAX_READERS - 1) * LOCK_ENTRY), { mode: 0o600 });
    linkSync(made, file);
  } catch (error) {
    // Another process was faster, or the file system has no hard links. If the disk is full, LMDB must not try.
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') throw error;
  } finally {
    rmSync(made, { force: true });
  }
}

/** Like `binary`, with keys from Node's buffer pool: allocating a buffer is half the cost of reading a key. */
const pooled = {
  encoding: 'binary',
  keyEncoder: {
    writeKey(key: Uint8Array, target: Uint8Array, start: number): number {
      target.set(key, start);
      return start + key.length;
    },
    readKey(source: Buffer, start: number, end: number): Buffer {
      const key = Buffer.allocUnsafe(end - start);
      source.copy(key, 0, start, end);
      return key;
    },
  },
} as const;

/**
 * @param options noSync: for a file that nobody will read again; known: it was open before, so the check is skipped
 * @throws Error if the file is damaged, belongs to another program, or has another format.
 */
export function openEnvironment(file: string, { noSync = false, known = false }): Environment {
  if (!known && existsSync(file)) checkHeader(file);
  if (!noSync) makeLockFile(`${file}-lock`);
  const root = open({
    path: file,
    noSubdir: true,
    mapSize: MAP_BYTES,
    // A committed transaction is on the disk, and visible to every process.
    overlappingSync: false,
    noSync,
    maxReaders: MAX_READERS,
    permissionsMode: 0o600,
    ...binary,
  } as object);
  try {
    refuseForeignFile(root, file);
  } catch (error) {
    void root.close();
    throw error;
  }
  const meta: Table = root.openDB('meta', binary);
  meta.transactionSync(() => {
    if (!meta.get(FORMAT)) meta.putSync(FORMAT, Buffer.from(VERSION));
  });
  return { root, docs: root.openDB('docs', pooled), keys: root.openDB('keys', pooled), meta };
}

/** Runs before anything is written: never add to another program's tables, never read another format. */
function refuseForeignFile(root: RootDatabase, file: string): void {
  // Names end with a zero byte.
  const tables = [...root.getKeys()].map((name) => String(name).replace('\0', ''));
  if (!tables.length) return;
  const meta: Table | undefined = tables.includes('meta') ? root.openDB('meta', binary) : undefined;
  // Another process may be between creating the table and writing the format, its first key, or may have died there. Read
  // the format after counting the keys, and read it afresh: another process may have written it in between.
  const empty = meta?.getKeysCount() === 0;
  root.resetReadTxn();
  const format = meta?.get(FORMAT)?.toString();
  if (format === VERSION || (!format && empty)) return;
  if (!format) throw new Error(`${file} was written by another program; it was not changed`);
  throw new Error(`${file} has the format "${format}", this program reads "${VERSION}"; it was not changed`);
}
