import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Where LMDB keeps what, in each of the two meta pages that a file begins with. */
const MAGIC = { at: 24, is: 0xbeefc0de };
const PAGE_SIZE = 48;
const LAST_PAGE = 144;
const TRANSACTION = 152;
/** Pages at the very end that were freed before they were ever written. */
const SLACK = 32n;

/**
 * Looks at a file before LMDB does, which would take a foreign one for damaged and crash on one that ends too early.
 * @throws Error when it is not LMDB's, or shorter than it says.
 */
export function checkHeader(file: string): void {
  const handle = openSync(file, 'r');
  try {
    const first = Buffer.alloc(160);
    const length = readSync(handle, first, 0, 160, 0);
    // A process that was ended while it made the file.
    if (length === 0) return;
    if (length < 160 || first.readUInt32LE(MAGIC.at) !== MAGIC.is) {
      throw new Error(`${file} is damaged or was not written by this program; it is left as it is`);
    }
    const page = first.readUInt32LE(PAGE_SIZE);
    const second = Buffer.alloc(160);
    readSync(handle, second, 0, 160, page);
    const newer = second.readBigUInt64LE(TRANSACTION) > first.readBigUInt64LE(TRANSACTION) ? second : first;
    const pages = newer.readBigUInt64LE(LAST_PAGE) + 1n;
    if (BigInt(fstatSync(handle).size) < (pages - SLACK) * BigInt(page)) {
      throw new Error(`${file} is damaged: it is shorter than it says; it is left as it is`);
    }
  } finally {
    closeSync(handle);
  }
}
