import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Owner } from '../auth/index.js';
import type { FileStore } from '../files/index.js';
import { testRunner } from './contract.js';

/** Many chunks of any store, and a partial one. */
const LARGE = 1_300_007;

/**
 * The tests that every file store must pass, for your own spec under Jest or another runner with `describe` and `it`.
 *
 * @param name subject of the tests, for the report
 * @param make returns a ready store; it may contain other files
 * @example
 * ```ts
 * fileStoreContract('the S3 store', () => new S3FileStore(bucket));
 * ```
 */
export function fileStoreContract(name: string, make: () => FileStore | Promise<FileStore>): void {
  const anOwner = (user_id = `user-${randomBytes(6).toString('hex')}`) => new Owner('default', user_id);
  const audio = { content_type: 'audio/mpeg' };

  const { describe, it } = testRunner();
  describe(`${name} keeps the contract of a file store`, () => {
    it('returns what it was given, whatever the size', async () => {
      const store = await make();
      for (const size of [1, 4096, LARGE]) {
        const bytes = randomBytes(size);
        const file = await store.put(anOwner(), pieces(bytes), audio);
        assert.match(file.file_id, /^[A-Za-z0-9_-]{1,128}$/);
        assert.deepEqual({ ...file }, { file_id: file.file_id, size, content_type: 'audio/mpeg' });
        assert.deepEqual({ ...(await store.find(file.file_id)) }, { ...file });
        assert.ok(bytes.equals(await read(store.open(file.file_id))));
      }
    });

    it('returns any range, and no more', async () => {
      const store = await make();
      const bytes = randomBytes(LARGE);
      const { file_id } = await store.put(anOwner(), pieces(bytes), audio);
      const points = [0, 1, 65_536, 261_119, 261_120, 261_121, 522_240, 1_000_000, LARGE - 1, LARGE];
      for (const start of points)
        for (const end of points.filter((point) => point > start))
          assert.ok(
            bytes.subarray(start, end).equals(await read(store.open(file_id, { start, end }))),
            `${start}-${end}`,
          );
    });

    it('never reuses an identifier, even for the same bytes', async () => {
      const store = await make();
      const owner = anOwner();
      const files = await Promise.all(
        Array.from({ length: 8 }, () => store.put(owner, pieces(Buffer.from('a')), audio)),
      );
      assert.equal(new Set(files.map(({ file_id }) => file_id)).size, 8);
    });

    it('stores the details, or undefined if there are none', async () => {
      const store = await make();
      const details = { seconds: 1.5, phonemes: [{ phoneme: 'ə', start: 0, end: 0.25 }], 'a.b': null, $c: '' };
      const spoken = await store.put(anOwner(), pieces(Buffer.from('a')), { ...audio, details });
      const bare = await store.put(anOwner(), pieces(Buffer.from('a')), audio);
      assert.deepEqual(await store.details(spoken.file_id), details);
      assert.equal(await store.details(bare.file_id), undefined);
    });

    it('leaves nothing behind of an interrupted upload, and passes the error on', async () => {
      const store = await make();
      const owner = anOwner();
      const broken = async function* () {
        yield* pieces(randomBytes(LARGE));
        throw new RangeError('the client left');
      };
      await assert.rejects(store.put(owner, broken(), audio), RangeError);
      assert.equal(await store.removeAll(owner), 0);
    });

    it('reports unknown files as missing', async () => {
      const store = await make();
      const { file_id } = await store.put(anOwner(), pieces(Buffer.from('a')), audio);
      await store.remove([file_id]);
      for (const id of [file_id, '', 'nonsense', '../a', '__proto__', 'a'.repeat(128), '0'.repeat(24)]) {
        assert.equal(await store.find(id), undefined);
        assert.equal(await store.open(id), undefined);
        assert.equal(await store.details(id), undefined);
        await store.remove([id]);
      }
    });

    it('removes the named files, and those of an owner, and no others', async () => {
      const store = await make();
      const [one, other] = [anOwner(), anOwner()];
      const put = (owner: Owner) => store.put(owner, pieces(Buffer.from('abc')), audio);
      const [a, b, c, d] = [await put(one), await put(one), await put(one), await put(other)];
      const neighbour = await put(new Owner('other', one.user_id));
      await store.remove([a.file_id, 'nonsense']);
      assert.equal(await store.find(a.file_id), undefined);
      assert.equal(await store.removeAll(one), 2);
      for (const { file_id } of [b, c]) assert.equal(await store.open(file_id), undefined);
      for (const { file_id } of [d, neighbour]) assert.equal((await read(store.open(file_id))).toString(), 'abc');
      assert.equal(await store.removeAll(one), 0);
      await store.removeAll(other);
    });

    it('stops when the reader leaves', async () => {
      const store = await make();
      const { file_id } = await store.put(anOwner(), pieces(randomBytes(LARGE)), audio);
      const stream = await store.open(file_id);
      assert.ok(stream);
      for await (const _ of stream) break;
      assert.ok(stream.destroyed);
      assert.equal((await read(store.open(file_id))).length, LARGE);
    });
  });
}

/** Like a network: chunks of uneven sizes. */
async function* pieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0, size = 1; at < bytes.length; at += size, size = (size * 7 + 13) % 65_536 || 1)
    yield bytes.subarray(at, at + size);
}

async function read(opening: Promise<Readable | undefined>): Promise<Buffer> {
  const stream = await opening;
  assert.ok(stream, 'the file is not there');
  return Buffer.concat(await stream.toArray());
}
