import { Doc, decode, encode } from '../values/bson.js';
import { commands } from '../commands/commands.js';
import { ServerState } from './server-state.js';
import { CommandError } from '../wire/errors.js';
import { keysOf, prefix, recordIdOf, verifiedDocument } from '../storage/records.js';

/** Commands that write more than fits into one transaction. */
describe('a long write', () => {
  const COUNT = 60;
  let state: ServerState;
  let write: jest.SpyInstance;
  let now: number;
  const run = async (body: Doc): Promise<any> => {
    state.refresh();
    const reply = await commands.get(Object.keys(body)[0]!)!(state, { ...body, $db: 't' }, { id: 1 } as never);
    return Buffer.isBuffer(reply) ? decode(reply) : reply;
  };
  const find = async (filter: Doc, more: Doc = {}): Promise<Doc[]> =>
    (await run({ find: 'm', filter, batchSize: 100_000, ...more })).cursor.firstBatch;
  const count = async (filter: Doc = {}) => (await find(filter)).length;
  /** Runs `work` before a transaction of the next long command, after the given number of transactions. */
  const meanwhile = (after: number, work: () => Promise<unknown>) => {
    let transactions = 0;
    write.mockImplementation(async (...given: Parameters<ServerState['write']>) => {
      if (transactions++ === after) await work();
      return ServerState.prototype.write.apply(state, given);
    });
  };
  /** Compares every index with the documents. */
  const check = () => {
    state.refresh();
    for (const collection of state.catalogue.all()) {
      expect(collection.building).toEqual([]);
      const documents = [
        ...state.store.docs.getRange({ start: prefix(collection.id), end: prefix(collection.id + 1) }),
      ].map(({ key, value }) => ({
        id: recordIdOf(Buffer.from(key)),
        doc: decode(verifiedDocument(value, collection)),
      }));
      for (const index of collection.indexes) {
        const expected = documents.flatMap(({ id, doc }) => keysOf(index, doc).map((key) => Buffer.concat([key, id])));
        const found = [...state.store.keys.getKeys({ start: prefix(index.id), end: prefix(index.id + 1) })];
        expect(found.map((key) => key.toString('hex'))).toEqual(expected.map((key) => key.toString('hex')).sort());
      }
    }
  };

  beforeEach(async () => {
    state = new ServerState(':memory:');
    await run({ createIndexes: 'm', indexes: [{ key: { a: 1 }, name: 'a' }] });
    const documents = Array.from({ length: COUNT }, (_, i) => encode({ _id: i, a: i % 7, b: `text ${i % 5}`, u: i }));
    await run({ insert: 'm', documents });
    // Every check of the clock advances it by three milliseconds, so a slice ends after a few documents.
    now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => (now += 3));
    write = jest.spyOn(state, 'write');
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    check();
    await state.close();
  });

  it('inserts in several transactions', async () => {
    const documents = Array.from({ length: 50 }, (_, i) => encode({ _id: `n${i}` }));
    expect(await run({ insert: 'm', documents })).toEqual({ n: 50 });
    expect(write.mock.calls.length).toBeGreaterThan(2);
    expect(await count()).toBe(110);
  });

  it.each([
    [true, 30],
    [false, 48],
  ])('stops at an error if ordered: %s', async (ordered, n) => {
    const documents = Array.from({ length: 50 }, (_, i) => encode({ _id: i === 30 ? 3 : i === 40 ? 4 : `n${i}` }));
    const reply = await run({ insert: 'm', documents, ordered });
    expect(reply.n).toBe(n);
    const errors = reply.writeErrors.map(({ index, code }: Doc) => [index, code]);
    expect(errors).toEqual([[30, 11000], ...(ordered ? [] : [[40, 11000]])]);
    expect(await count()).toBe(COUNT + n);
  });

  it('reports its progress if the disk fills up midway', async () => {
    const full = { code: 14031, codeName: 'OutOfDiskSpace' };
    meanwhile(1, () => Promise.reject(new CommandError('OutOfDiskSpace', 'full')));
    const documents = Array.from({ length: 50 }, (_, i) => encode({ _id: `n${i}` }));
    const reply = await run({ insert: 'm', documents, ordered: false });
    expect(reply.writeErrors).toEqual([{ index: reply.n, code: 14031, errmsg: 'full' }]);
    expect(await count()).toBe(COUNT + reply.n);
    meanwhile(0, () => Promise.reject(new CommandError('OutOfDiskSpace', 'full')));
    await expect(run({ insert: 'm', documents })).rejects.toMatchObject(full);
  });

  it('updates each document once, although the update moves it in the index', async () => {
    const updates = [{ q: { a: { $gte: 0 } }, u: { $inc: { a: 3 } }, multi: true }];
    expect(await run({ update: 'm', updates })).toEqual({ n: COUNT, nModified: COUNT });
    expect(write.mock.calls.length).toBeGreaterThan(2);
    const found = await find({});
    expect(found.every(({ _id, a }) => a === (_id % 7) + 3)).toBe(true);
  });

  it('skips documents that others have changed since they were found', async () => {
    meanwhile(2, () => run({ update: 'm', updates: [{ q: { _id: 59 }, u: { $set: { b: 'other' } } }] }));
    const updates = [{ q: { b: { $gte: 'text' } }, u: { $set: { seen: true } }, multi: true }];
    expect(await run({ update: 'm', updates })).toMatchObject({ n: COUNT - 1 });
    expect(await find({ seen: { $exists: false } })).toMatchObject([{ _id: 59, b: 'other' }]);
  });

  it('changes the first of the sorted documents, not another one in the place of the one that it found', async () => {
    meanwhile(1, async () => {
      await run({ delete: 'm', deletes: [{ q: { _id: 59 }, limit: 1 }] });
      await run({ insert: 'm', documents: [encode({ _id: 'other', b: 'text 4', u: -1 })] });
    });
    const command = { findAndModify: 'm', query: { b: 'text 4' }, sort: { u: -1 }, update: { $set: { u: 1000 } } };
    expect((await run(command)).value).toMatchObject({ _id: 54 });
  });

  it('removes in several transactions, and continues with its other statements', async () => {
    const deletes = [
      { q: { b: { $in: ['text 1', 'text 2'] } }, limit: 0 },
      { q: { _id: 3 }, limit: 1 },
      { q: { b: 'text 4', u: 59 }, limit: 1 },
    ];
    expect(await run({ delete: 'm', deletes })).toEqual({ n: 26 });
    expect(await count()).toBe(COUNT - 26);
  });

  it.each<[string, Doc, Doc]>([
    [
      'an upsert that finds no document',
      { update: 'm', updates: [{ q: { b: 'none' }, u: { $set: { u: 1000 } }, upsert: true }] },
      { n: 1, nModified: 0, upserted: [{ index: 0, _id: expect.anything() }] },
    ],
    [
      'one that finds a document',
      { update: 'm', updates: [{ q: { b: 'text 4', u: 59 }, u: { $set: { u: 1000 } }, upsert: true }] },
      { n: 1, nModified: 1 },
    ],
    [
      'findAndModify',
      { findAndModify: 'm', query: { b: 'text 4', u: 59 }, update: { $set: { u: 1000 } }, new: true },
      { lastErrorObject: { n: 1, updatedExisting: true }, value: expect.objectContaining({ u: 1000 }) },
    ],
    [
      'findAndModify with an upsert',
      { findAndModify: 'm', query: { b: 'none' }, update: { $set: { u: 1000 } }, upsert: true },
      { lastErrorObject: { n: 1, updatedExisting: false, upserted: expect.anything() }, value: null },
    ],
  ])('finds a single document that takes long to find: %s', async (_, command, reply) => {
    expect(await run(command)).toEqual(reply);
    expect(await count({ u: 1000 })).toBe(1);
  });

  it('is aborted when its time is over', async () => {
    meanwhile(1, async () => {
      now += 120_000;
    });
    const deletes = [{ q: { b: { $gte: 'text' } }, limit: 0 }];
    await expect(run({ delete: 'm', deletes, maxTimeMS: 60_000 })).rejects.toMatchObject({ code: 50 });
    expect(await count()).toBeGreaterThan(0);
  });

  it.each<[string, Doc]>([
    ['an insert', { insert: 'm', documents: Array.from({ length: 500 }, (_, i) => encode({ _id: `more ${i}` })) }],
    [
      'updates',
      { update: 'm', updates: Array.from({ length: 500 }, () => ({ q: { _id: 1 }, u: { $inc: { n: 1 } } })) },
    ],
  ])('is aborted between two statements when its time is over: %s', async (_, command) => {
    for (const ordered of [true, false]) {
      meanwhile(1, async () => {
        now += 120_000;
      });
      await expect(run({ ...command, ordered, maxTimeMS: 60_000 })).rejects.toMatchObject({ code: 50 });
    }
  });

  describe('createIndexes', () => {
    const index = { key: { u: 1 }, name: 'u' };
    const build = (spec: Doc = index) => run({ createIndexes: 'm', indexes: [spec] });

    it('includes everything that was written during the build', async () => {
      meanwhile(2, async () => {
        state.refresh();
        const collection = state.catalogue.get('t.m')!;
        expect(collection.building.map(({ spec }) => spec.name)).toEqual(['u']);
        expect((await run({ listIndexes: 'm' })).cursor.firstBatch).toHaveLength(2);
        expect(await count({ u: { $gte: 0 } })).toBe(COUNT);
        await run({ insert: 'm', documents: [encode({ _id: 'new', u: [500, 501] })] });
        await run({ update: 'm', updates: [{ q: { _id: 0 }, u: { $set: { u: 600 } } }] });
        await run({ update: 'm', updates: [{ q: { _id: 58 }, u: { $set: { u: 601 } } }] });
        await run({ delete: 'm', deletes: [1, 59].map((_id) => ({ q: { _id }, limit: 1 })) });
      });
      expect(await build()).toMatchObject({ numIndexesBefore: 2, numIndexesAfter: 3 });
      expect(write.mock.calls.length).toBeGreaterThan(4);
      expect(await find({ u: 501 }, { hint: 'u' })).toMatchObject([{ _id: 'new' }]);
      expect(await find({ u: { $in: [1, 59, 600, 601] } }, { hint: 'u' })).toMatchObject([{ _id: 0 }, { _id: 58 }]);
    });

    it('is aborted when its time is over, and leaves nothing behind', async () => {
      meanwhile(2, async () => {
        now += 120_000;
      });
      const command = { createIndexes: 'm', indexes: [index], maxTimeMS: 60_000 };
      await expect(run(command)).rejects.toMatchObject({ code: 50 });
      expect((await run({ listIndexes: 'm' })).cursor.firstBatch).toHaveLength(2);
      expect(await build()).toMatchObject({ numIndexesBefore: 2, numIndexesAfter: 3 });
    });

    it('fails on a duplicate written during the build, and leaves nothing behind', async () => {
      meanwhile(2, () => run({ insert: 'm', documents: [encode({ _id: 'new', u: 59 })] }));
      await expect(build({ ...index, unique: true })).rejects.toMatchObject({
        code: 11000,
        extra: { keyValue: { u: 59 } },
      });
      expect((await run({ listIndexes: 'm' })).cursor.firstBatch).toHaveLength(2);
    });

    it('is shared by two concurrent requests for the same index', async () => {
      const replies = await Promise.all([build(), build(), build()]);
      expect(replies.map(({ numIndexesAfter }) => numIndexesAfter)).toEqual([3, 3, 3]);
    });

    it('finishes the build of a process that died', async () => {
      await state.write(() => state.catalogue.addIndex(state.catalogue.get('t.m')!, { v: 2, ...index }));
      await run({ insert: 'm', documents: [encode({ _id: 'new', u: 1000 })] });
      expect(await count({ u: { $gte: 59 } })).toBe(2);
      await build();
      expect(await find({ u: { $gte: 59 } }, { hint: 'u' })).toHaveLength(2);
    });

    it.each<[string, Doc]>([
      ['index', { dropIndexes: 'm', index: 'u' }],
      ['collection', { drop: 'm' }],
    ])('fails if its %s is dropped', async (_, drop) => {
      meanwhile(2, () => run(drop));
      await expect(build()).rejects.toMatchObject({ code: 276, codeName: 'IndexBuildAborted' });
    });
  });

  it('removes a large collection in the background, also after a restart', async () => {
    const documents = Array.from({ length: 1200 }, (_, i) => encode({ _id: i, a: i }));
    await run({ insert: 'large', documents });
    state.refresh();
    const { id } = state.catalogue.get('t.large')!;
    const left = () => {
      state.refresh();
      return state.store.docs.getKeysCount({ start: prefix(id), end: prefix(id + 1) });
    };
    await run({ delete: 'large', deletes: [{ q: { _id: 1199 }, limit: 1 }] });
    const lastId = () => state.store.meta.doesExist(Buffer.from(`last:${id}`));
    expect(lastId()).toBe(true);
    const tidy = jest.spyOn(state, 'tidy').mockImplementation(() => undefined);
    jest.spyOn(performance, 'now').mockImplementation(() => (now += 100));
    expect(await run({ drop: 'large' })).toMatchObject({ nIndexesWas: 1 });
    expect(left()).toBeGreaterThan(0);
    tidy.mockRestore();
    state.tidy();
    // The writing threads may wait for long on a busy machine.
    for (let i = 0; i < 10_000 && left() > 0; i++) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(left()).toBe(0);
    expect(lastId()).toBe(false);
    await run({ insert: 'large', documents: documents.slice(0, 3) });
    expect((await run({ count: 'large' })).n).toBe(3);
  });
});
