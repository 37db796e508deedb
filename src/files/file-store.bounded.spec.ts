import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Owner } from '../auth/index.js';
import { MemoryFileStore } from '../../test/support/memory.file-store.js';
import { fileStoreContract } from '../testing/file-store.contract.js';
import { BoundedFileStore } from './file-store.bounded.js';
import { FileStore } from './file-store.js';

const LIMIT_MS = 40;
const owner = { project_id: 'p', user_id: 'u' } as Owner;
const description = { content_type: 'audio/mpeg' };
const never = <T>() => new Promise<T>(() => undefined);

/** Answers nothing, but takes what it is given. */
class HangingStore extends FileStore {
  readonly stream = Readable.from(['late']);
  async put(_: Owner, content: AsyncIterable<Uint8Array>) {
    for await (const piece of content) void piece;
    return never<never>();
  }
  find = () => never<undefined>();
  open = async () => {
    await delay(4 * LIMIT_MS);
    return this.stream;
  };
  details = () => never();
  remove = () => never<void>();
  removeAll = () => never<number>();
}

/** Does not even ask for the content. */
class DeafStore extends HangingStore {
  override put = () => never<never>();
}

async function* pieces(pauseMs: number) {
  for (let n = 0; n < 3; n++) {
    await delay(pauseMs);
    yield Buffer.from('x');
  }
}

describe('a file store that hangs', () => {
  it.each<[string, (store: FileStore) => Promise<unknown>]>([
    ['put', (store) => store.put(owner, pieces(0), description)],
    ['find', (store) => store.find('f')],
    ['open', (store) => store.open('f')],
    ['details', (store) => store.details('f')],
    ['remove', (store) => store.remove(['f'])],
    ['removeAll', (store) => store.removeAll(owner)],
  ])('fails in time: %s', async (_, ask) => {
    const store = new BoundedFileStore(new HangingStore(), LIMIT_MS, LIMIT_MS);
    await expect(ask(store)).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  it('fails in time though it does not ask for the content', async () => {
    const put = new BoundedFileStore(new DeafStore(), LIMIT_MS).put(owner, pieces(0), description);
    await expect(put).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  it('leaves no stream open that comes too late', async () => {
    const store = new HangingStore();
    await expect(new BoundedFileStore(store, LIMIT_MS).open('f')).rejects.toMatchObject({ status: 503 });
    while (!store.stream.destroyed) await delay(5);
  });
});

it('gets all the time that the content takes to arrive', async () => {
  const stored = await new BoundedFileStore(new MemoryFileStore(), LIMIT_MS).put(
    owner,
    pieces(2 * LIMIT_MS),
    description,
  );
  expect(stored).toMatchObject({ size: 3, content_type: 'audio/mpeg' });
});

fileStoreContract('a bounded file store', () => new BoundedFileStore(new MemoryFileStore()));
