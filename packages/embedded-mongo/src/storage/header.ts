import { closeSync, openSync, readSync } from 'node:fs';
import { Snapshot, endsTooEarly } from './pages.js';

/** The layout of the two meta pages at the start of an LMDB file. */
const MAGIC = { at: 24, is: 0xbeefc0de };
const PAGE_SIZE = 48;
const FREE_ROOT = 88;
const MAIN_ROOT = 136;
const LAST_PAGE = 144;
const TRANSACTION = 152;
const LENGTH = 160;
/** How often the check is repeated if another process writes meanwhile. */
const ATTEMPTS = 3;

/**
 * Checks a file before LMDB opens it: LMDB would report a foreign file as damaged, and crash on a truncated one.
 * @throws Error if it is not an LMDB file, or a page that it needs is missing.
 */
export function checkHeader(file: string): void {
  const handle = openSync(file, 'r');
  try {
    let snapshot = newest(handle, file);
    for (let attempt = 0; snapshot && attempt < ATTEMPTS; attempt++) {
      if (!endsTooEarly(handle, snapshot)) return;
      const looked = snapshot.transaction;
      snapshot = newest(handle, file);
      if (snapshot?.transaction === looked) {
        throw new Error(`${file} is damaged: it is shorter than its header says; it was not changed`);
      }
    }
    // A process that keeps writing has opened the file itself, so it was intact then.
  } finally {
    closeSync(handle);
  }
}

/** The newer of the two meta pages. Undefined if a process died while it created the file. */
function newest(handle: number, file: string): Snapshot | undefined {
  const first = Buffer.alloc(LENGTH);
  const length = readSync(handle, first, 0, LENGTH, 0);
  if (length === 0) return undefined;
  if (length < LENGTH || first.readUInt32LE(MAGIC.at) !== MAGIC.is) {
    throw new Error(`${file} is damaged or was not written by this program; it was not changed`);
  }
  const pageSize = first.readUInt32LE(PAGE_SIZE);
  const second = Buffer.alloc(LENGTH);
  readSync(handle, second, 0, LENGTH, pageSize);
  const meta = second.readBigUInt64LE(TRANSACTION) > first.readBigUInt64LE(TRANSACTION) ? second : first;
  return {
    transaction: meta.readBigUInt64LE(TRANSACTION),
    pageSize,
    pages: Number(meta.readBigUInt64LE(LAST_PAGE)) + 1,
    freeRoot: meta.readBigUInt64LE(FREE_ROOT),
    mainRoot: meta.readBigUInt64LE(MAIN_ROOT),
  };
}
