import { closeSync, mkdtempSync, openSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkHeader } from './header.js';
import { Store } from './store.js';

describe('checkHeader', () => {
  let directory: string;
  let file: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'embedded-header-'));
    file = join(directory, 'embedded-mongo.mdb');
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const key = (i: number) => Buffer.from(String(i).padStart(6, '0'));
  /** Writes documents and removes the later ones in the same transaction, so their pages never reach the file. */
  const writeAndRemove = async (count: number, kept: number, bytes: number) => {
    const store = new Store(directory);
    await store.write(() => {
      for (let i = 0; i < count; i++) store.docs.putSync(key(i), Buffer.alloc(bytes, i));
      for (let i = kept; i < count; i++) store.docs.removeSync(key(i));
    });
    await store.close();
  };
  /** By how many pages the file is shorter than LMDB's page count. */
  const missing = async () => {
    const store = new Store(directory);
    const { root } = store.docs.getStats() as { root: { pageSize: number } };
    const { lastPageNumber } = store.docs.getStats() as unknown as { lastPageNumber: number };
    const pages = lastPageNumber + 1 - statSync(file).size / root.pageSize;
    await store.close();
    return pages;
  };

  it.each([
    [300, 150, 15_000],
    [200, 10, 50_000],
  ])(
    'accepts a file whose last pages were freed before they were written: %d, %d kept, of %d bytes',
    async (...sizes) => {
      const [count, kept, bytes] = sizes;
      await writeAndRemove(count, kept, bytes);
      expect(() => checkHeader(file)).not.toThrow();
      expect(await missing()).toBeGreaterThan(100);
      const store = new Store(directory);
      const found = Array.from({ length: count }, (_, i) =>
        store.docs.getBinary(key(i))?.equals(Buffer.alloc(bytes, i)),
      );
      expect(found).toEqual(Array.from({ length: count }, (_, i) => (i < kept ? true : undefined)));
      await store.close();
    },
  );

  it('reads the trees if the free list does not decide', async () => {
    await writeAndRemove(300, 150, 15_000);
    const handle = openSync(file, 'r+');
    const [freeRoot, empty] = [88, Buffer.alloc(8, 0xff)];
    for (const page of [0, 4096]) writeSync(handle, empty, 0, 8, page + freeRoot);
    closeSync(handle);
    expect(() => checkHeader(file)).not.toThrow();
    truncateSync(file, statSync(file).size - 4096);
    expect(() => checkHeader(file)).toThrow(/shorter than its header says/);
  });

  it('rejects the same file if a page in use was cut off', async () => {
    await writeAndRemove(300, 150, 15_000);
    truncateSync(file, statSync(file).size - 4096);
    expect(() => checkHeader(file)).toThrow(/shorter than its header says/);
  });

  it.each([0.1, 0.5, 0.9])('rejects a file truncated to %d of its size', async (part) => {
    await writeAndRemove(300, 300, 3000);
    truncateSync(file, Math.floor((statSync(file).size / 4096) * part) * 4096);
    expect(() => checkHeader(file)).toThrow(/damaged/);
  });
});
