import { mkdtempSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
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

  const expectRefusal = (message: RegExp) => {
    const before = readFileSync(file);
    expect(() => new Store(directory)).toThrow(message);
    expect(readFileSync(file).equals(before)).toBe(true);
  };

  it('rejects a file that is not an LMDB file', () => {
    writeFileSync(file, 'somebody else’s text\n'.repeat(100));
    expectRefusal(/not written by this program/);
  });

  it('rejects the LMDB file of another program', async () => {
    const other = open({ path: file, noSubdir: true, overlappingSync: false });
    await other.openDB('theirs', {}).put('a', 1);
    await other.close();
    expectRefusal(/written by another program/);
  });

  it('rejects another format', async () => {
    const store = new Store(directory);
    await store.write(() => store.meta.putSync(Buffer.from('format'), Buffer.from('embedded-mongo 2')));
    await store.close();
    expectRefusal(/has the format "embedded-mongo 2"/);
  });

  it('rejects a truncated file', async () => {
    const store = new Store(directory);
    await store.write(() => store.docs.putSync(Buffer.from('a'), Buffer.alloc(500_000)));
    await store.close();
    truncateSync(file, 300_000);
    expectRefusal(/shorter than its header says/);
  });

  it('leaves no timer behind if it cannot be opened', () => {
    const every = jest.spyOn(global, 'setInterval');
    writeFileSync(file, 'somebody else’s text\n'.repeat(100));
    expect(() => new Store(directory)).toThrow('not written by this program');
    expect(() => new Store(join(file, 'below'))).toThrow('ENOTDIR');
    expect(every).not.toHaveBeenCalled();
    every.mockRestore();
  });

  it('accepts the empty file of a process that died while it created it', async () => {
    writeFileSync(file, '');
    const store = new Store(directory);
    await store.write(() => store.docs.putSync(Buffer.from('a'), Buffer.from('1')));
    expect(store.docs.getBinary(Buffer.from('a'))?.toString()).toBe('1');
    await store.close();
  });

  describe('that releases its pages', () => {
    const key = Buffer.from('a');
    const warn = jest.fn();
    let store: Store;
    /** Writes, and leaves the store idle. */
    const write = async (value: string) => {
      await store.write(() => store.docs.putSync(key, Buffer.from(value)));
      await new Promise(setImmediate);
    };
    beforeEach(() => {
      warn.mockClear();
      jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'setTimeout'] });
      store = new Store(directory, { maxMapped: 0, warn });
    });
    afterEach(() => jest.useRealTimers());

    it('reopens the file, then performs the writes that arrived meanwhile', async () => {
      await write('1');
      const before = store.docs;
      jest.advanceTimersByTime(1000);
      const written = store.write(() => store.docs.putSync(key, Buffer.from('2')));
      await store.ready;
      await written;
      expect(store.ready).toBeUndefined();
      expect(store.docs).not.toBe(before);
      expect(store.docs.getBinary(key)?.toString()).toBe('2');
      await store.close();
    });

    it('waits for a write in progress before it reopens', async () => {
      const written = store.write(() => store.docs.putSync(key, Buffer.from('1')));
      jest.advanceTimersByTime(1000);
      expect(store.ready).toBeUndefined();
      await written;
      await store.close();
    });

    it('keeps its open file if another one has replaced it, and warns once', async () => {
      await write('1');
      renameSync(file, `${file}.away`);
      writeFileSync(file, 'somebody else’s text');
      jest.advanceTimersByTime(3000);
      expect(store.ready).toBeUndefined();
      await store.write(() => store.docs.putSync(key, Buffer.from('2')));
      expect(store.docs.getBinary(key)?.toString()).toBe('2');
      expect(warn.mock.calls).toEqual([[expect.stringMatching(/was moved or replaced/)]]);
      await store.close();
    });

    it('fails requests while the file cannot be reopened, and retries every second', async () => {
      await write('1');
      const open = jest.spyOn(store as any, 'open').mockImplementation(() => {
        throw new Error('too many open files');
      });
      jest.advanceTimersByTime(1000);
      const written = store.write(() => 1);
      await store.ready;
      const closed = { code: 91, message: expect.stringContaining('too many open files') };
      await expect(written).rejects.toMatchObject(closed);
      await expect(store.write(() => 2)).rejects.toMatchObject(closed);
      expect(() => store.docs.getBinary(key)).toThrow(expect.objectContaining(closed));
      expect(() => store.refresh()).toThrow(expect.objectContaining(closed));
      jest.advanceTimersByTime(1000);
      await store.ready;
      expect(warn).toHaveBeenCalledTimes(1);
      open.mockRestore();
      jest.advanceTimersByTime(1000);
      await store.ready;
      expect(await store.write(() => 3)).toBe(3);
      expect(store.docs.getBinary(key)?.toString()).toBe('1');
      await store.close();
    });
  });

  it('commits concurrent writes together, and an error rejects only its own promise', async () => {
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
