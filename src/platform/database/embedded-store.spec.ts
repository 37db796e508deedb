import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beginEmbeddedStore, startEmbeddedStore } from './embedded-store.js';

describe('The embedded store of a program', () => {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-store-'));
  const fileInTheWay = join(folder, 'file');
  writeFileSync(fileInTheWay, 'no folder');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('is the one that was started ahead, once', async () => {
    const path = join(folder, 'store');
    beginEmbeddedStore(path);
    const [first, second] = await Promise.all([startEmbeddedStore(path), startEmbeddedStore(path)]);
    expect(first.uri).not.toBe(second.uri);
    await Promise.all([first.close(), second.close()]);
  });

  it('is a new one if another path was started ahead', async () => {
    beginEmbeddedStore(fileInTheWay);
    const store = await startEmbeddedStore(join(folder, 'other'));
    expect(store.uri).toContain('mongodb://');
    await store.close();
  });

  it('fails when it is awaited, not before', async () => {
    beginEmbeddedStore(join(fileInTheWay, 'store'));
    await new Promise((resolve) => setImmediate(resolve));
    await expect(startEmbeddedStore(join(fileInTheWay, 'store'))).rejects.toThrow('ENOTDIR');
  });
});
