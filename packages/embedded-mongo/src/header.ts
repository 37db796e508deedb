import { closeSync, openSync, readSync } from 'node:fs';
import { Snapshot, endsTooEarly } from './pages.js';

/** Where LMDB keeps what, in each of the two meta pages that a file begins with. */
const MAGIC = { at: 24, is: 0xbeefc0de };
const PAGE_SIZE = 48;
const FREE_ROOT = 88;
const MAIN_ROOT = 136;
const LAST_PAGE = 144;
const TRANSACTION = 152;
const LENGTH = 160;
/** How often the pages are looked at again because another process wrote meanwhile. */
const ATTEMPTS = 3;

/**
 * Looks at a file before LMDB does, which would take a foreign one for damaged and crash on one that ends too early.
 * @throws Error when it is not LMDB's, or a page that it needs is missing.
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
        throw new Error(`${file} is damaged: it is shorter than it says; it is left as it is`);
      }
    }
    // A process that writes all the time opened the file itself, so it was whole then.
  } finally {
    closeSync(handle);
  }
}

/** The newer of the two meta pages; nothing when a process was ended while it made the file. */
function newest(handle: number, file: string): Snapshot | undefined {
  const first = Buffer.alloc(LENGTH);
  const length = readSync(handle, first, 0, LENGTH, 0);
  if (length === 0) return undefined;
  if (length < LENGTH || first.readUInt32LE(MAGIC.at) !== MAGIC.is) {
    throw new Error(`${file} is damaged or was not written by this program; it is left as it is`);
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
