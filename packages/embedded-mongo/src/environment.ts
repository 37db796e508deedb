import { existsSync, linkSync, rmSync, writeFileSync } from 'node:fs';
import { threadId } from 'node:worker_threads';
import { open } from 'lmdb';
import type { Database, RootDatabase } from 'lmdb';
import { checkHeader } from './header.js';

export type Table = Database<Buffer, Buffer>;

/** An open LMDB file: documents and index entries in two ordered tables, the catalogue in a third. */
export interface Environment {
  root: RootDatabase;
  docs: Table;
  keys: Table;
  meta: Table;
}

const binary = { keyEncoding: 'binary', encoding: 'binary' } as const;
const FORMAT = Buffer.from('format');
const VERSION = 'embedded-mongo 1';
/** Address space only: growing the map would leave the old ones mapped beside it. It still grows when this is full. */
const MAP = 2 ** 34;

const MAX_READERS = 512;
/** LMDB's header of the lock file, which has the first entry, and each further entry. */
const LOCK_HEADER = 272;
const LOCK_ENTRY = 64;

/**
 * LMDB maps its lock file into memory and leaves it sparse: a page that finds no room on a full disk would end the
 * process. So it is made with all of its bytes, and appears whole or not at all.
 */
function makeLockFile(file: string): void {
  if (existsSync(file)) return;
  const made = `${file}-${process.pid}-${threadId}`;
  try {
    writeFileSync(made, Buffer.alloc(LOCK_HEADER + (MAX_READERS - 1) * LOCK_ENTRY), { mode: 0o600 });
    linkSync(made, file);
  } catch (error) {
    // Another process was faster, or the file system has no links; where there is no room LMDB must not try.
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') throw error;
  } finally {
    rmSync(made, { force: true });
  }
}

/** As `binary`, with keys from Node's pool of buffers: half of what reading a key costs is making a buffer for it. */
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
 * @param options noSync: for a file that nobody will read again; known: it was open already, and need not be checked
 * @throws Error when the file is damaged, is not this program's, or is of another format.
 */
export function openEnvironment(file: string, { noSync = false, known = false }): Environment {
  if (!known && existsSync(file)) checkHeader(file);
  if (!noSync) makeLockFile(`${file}-lock`);
  const root = open({
    path: file,
    noSubdir: true,
    mapSize: MAP,
    // So a transaction is on the disk when it is committed, in every process that looks.
    overlappingSync: false,
    noSync,
    maxReaders: MAX_READERS,
    permissionsMode: 0o600,
    ...binary,
  } as object);
  try {
    refuseOthers(root, file);
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

/** Before anything is written: another program's tables are not to be added to, another format not to be read. */
function refuseOthers(root: RootDatabase, file: string): void {
  // Names end with a zero.
  const tables = [...root.getKeys()].map((name) => String(name).replace('\0', ''));
  if (!tables.length) return;
  const meta: Table | undefined = tables.includes('meta') ? root.openDB('meta', binary) : undefined;
  // A process may be, or have been ended, between making the table and writing the format, its first key. The format is
  // looked for after the keys are counted, and anew: another process may have written it in between.
  const empty = meta?.getKeysCount() === 0;
  root.resetReadTxn();
  const format = meta?.get(FORMAT)?.toString();
  if (format === VERSION || (!format && empty)) return;
  if (!format) throw new Error(`${file} was written by another program; it is left as it is`);
  throw new Error(`${file} has the format "${format}", this program reads "${VERSION}"; it is left as it is`);
}
