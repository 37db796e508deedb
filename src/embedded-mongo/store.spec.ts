import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import { Store } from './store.js';

describe('Store', () => {
  let directory: string;
  let file: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'embedded-store-'));
    file = join(directory, 'embedded-mongo.mdb');
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const refuses = (message: RegExp) => {
    const before = readFileSync(file);
    expect(() => new Store(directory)).toThrow(message);
    expect(readFileSync(file).equals(before)).toBe(true);
  };

  it('refuses a file that is not LMDB’s', () => {
    writeFileSync(file, 'somebody else’s text\n'.repeat(100));
    refuses(/not written by this program/);
  });

  it('refuses the LMDB file of another program', async () => {
    const other = open({ path: file, noSubdir: true, overlappingSync: false });
    await other.openDB('theirs', {}).put('a', 1);
    await other.close();
    refuses(/written by another program/);
  });

  it('refuses another format', async () => {
    const store = new Store(directory);
    await store.write(() => store.meta.putSync(Buffer.from('format'), Buffer.from('embedded-mongo 2')));
    await store.close();
    refuses(/has the format "embedded-mongo 2"/);
  });

  it('refuses a file that was cut', async () => {
    const store = new Store(directory);
    await store.write(() => store.docs.putSync(Buffer.from('a'), Buffer.alloc(500_000)));
    await store.close();
    truncateSync(file, 300_000);
    refuses(/shorter than it says/);
  });

  it('commits what comes together together, and an error takes only its own promise', async () => {
    const store = new Store(directory);
    const key = Buffer.from('a');
    const done = await Promise.allSettled([
      store.write(() => store.docs.putSync(key, Buffer.from('1'))),
      store.write(() => {
        throw new Error('refused');
      }),
      store.write(() => store.docs.getBinary(key)?.toString()),
    ]);
    expect(done.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(done[2]).toMatchObject({ value: '1' });
    await store.close();
  });
});
