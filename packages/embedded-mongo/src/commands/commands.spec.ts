import { mongo } from 'mongoose';
import { withClient } from '../../../../test/support/embedded-client.js';

type Doc = Record<string, any>;

describe('commands', () => {
  let client: mongo.MongoClient;
  let db: mongo.Db;
  let things: mongo.Collection<any>;

  withClient((connected) => (client = connected));
  beforeEach(async () => {
    db = client.db('test');
    await db.dropDatabase();
    things = db.collection('things');
    await things.insertMany([
      { _id: 1, user: 'a', n: 1, tags: ['x', 'y'] },
      { _id: 2, user: 'a', n: 2 },
      { _id: 3, user: 'b', n: 3, tags: [] },
    ]);
    await things.createIndex({ user: 1, n: -1 }, { name: 'page' });
  });

  it.each<[Doc, number, string]>([
    [{ mapReduce: 'things' }, 59, 'CommandNotFound'],
    [{ explain: {} }, 115, 'CommandNotSupported'],
    [{ getMore: new mongo.Long(5), collection: 'things' }, 43, 'CursorNotFound'],
    [{ create: 'things' }, 48, 'NamespaceExists'],
    [{ create: 'c', capped: true }, 72, 'InvalidOptions'],
    [{ find: '' }, 73, 'InvalidNamespace'],
    [{ find: 'a$b' }, 73, 'InvalidNamespace'],
    [{ find: 'things', filter: { $bad: 1 } }, 2, 'BadValue'],
    [{ find: 'things', filter: 5 }, 14, 'TypeMismatch'],
    [{ find: 'things', sort: { a: 2 } }, 15975, 'Location15975'],
    [{ find: 'things', hint: 'none' }, 2, 'BadValue'],
    [{ find: 'things', limit: -1.5, skip: -1 }, 2, 'BadValue'],
    [{ find: 'things', projection: { a: 1, b: 0 } }, 31254, 'Location31254'],
    [{ find: 'things', projection: { a: 0, b: 1 } }, 31253, 'Location31253'],
    [{ find: 'things', collation: { locale: 'de' } }, 72, 'InvalidOptions'],
    [{ aggregate: 'things', pipeline: [{ $nothing: 1 }], cursor: {} }, 40324, 'Location40324'],
    [{ aggregate: 'things', pipeline: [{ $out: 'x' }], cursor: {} }, 40324, 'Location40324'],
    [{ aggregate: 'things', pipeline: [{ $limit: 0 }], cursor: {} }, 15958, 'Location15958'],
    [{ aggregate: 'things', pipeline: [{ a: 1, b: 1 }], cursor: {} }, 40323, 'Location40323'],
    [{ findAndModify: 'things', query: {} }, 9, 'FailedToParse'],
    [{ findAndModify: 'things', query: {}, remove: true, new: true }, 9, 'FailedToParse'],
    [{ findAndModify: 'things', query: {}, update: { $set: { a: 1, 'a.b': 1 } } }, 40, 'ConflictingUpdateOperators'],
    [{ findAndModify: 'things', query: { _id: 1 }, update: { $set: { _id: 2 } } }, 66, 'ImmutableField'],
    [{ update: 'things', updates: [{ q: {}, u: {}, sort: {} }] }, 40415, 'IDLUnknownField'],
    [{ update: 'things', updates: [] }, 16, 'InvalidLength'],
    [
      { insert: 'things', documents: [{}], startTransaction: true, txnNumber: new mongo.Long(1) },
      263,
      'OperationNotSupportedInTransaction',
    ],
    [{ createIndexes: 'things', indexes: [{ key: { user: 1 }, name: 'page' }] }, 86, 'IndexKeySpecsConflict'],
    [{ createIndexes: 'things', indexes: [{ key: { user: 1, n: -1 }, name: 'other' }] }, 85, 'IndexOptionsConflict'],
    [{ createIndexes: 'things', indexes: [{ key: { a: 'text' }, name: 'a' }] }, 67, 'CannotCreateIndex'],
    [{ createIndexes: 'things', indexes: [{ key: { user: 1 }, name: 'u', unique: true }] }, 11000, 'DuplicateKey'],
    [
      { createIndexes: 'things', indexes: [{ key: { a: 1 }, name: 'a', nonsense: 1 }] },
      197,
      'InvalidIndexSpecificationOption',
    ],
    [{ dropIndexes: 'things', index: 'none' }, 27, 'IndexNotFound'],
    [{ dropIndexes: 'things', index: '_id_' }, 72, 'InvalidOptions'],
    [{ listIndexes: 'none' }, 26, 'NamespaceNotFound'],
  ])('%j fails with %i %s', async (command, code, codeName) => {
    await expect(db.command(command)).rejects.toMatchObject({ code, codeName, ok: 0 });
  });

  it('names the index and the values in a duplicate key error', async () => {
    await things.createIndex(
      { 'sub.a': 1, user: -1 },
      { unique: true, partialFilterExpression: { sub: { $exists: true } } },
    );
    await things.insertOne({ _id: 4, user: 'a', sub: { a: 1 } });
    await expect(things.insertOne({ _id: 5, user: 'a', sub: { a: 1 } })).rejects.toMatchObject({
      code: 11000,
      keyPattern: { 'sub.a': 1, user: -1 },
      keyValue: { 'sub.a': 1, user: 'a' },
      message:
        'E11000 duplicate key error collection: test.things index: sub.a_1_user_-1 dup key: { sub.a: 1, user: "a" }',
    });
    await expect(things.updateOne({ _id: 1 }, { $set: { sub: { a: 1 } } })).rejects.toMatchObject({ code: 11000 });
    expect(await things.findOne({ _id: 1 })).toEqual({ _id: 1, user: 'a', n: 1, tags: ['x', 'y'] });
  });

  it('keeps a unique index consistent if a multi-update fails halfway', async () => {
    await things.createIndex({ n: 1 }, { unique: true });
    await expect(things.updateMany({}, { $max: { n: 3 } })).rejects.toMatchObject({ code: 11000 });
    expect(await things.find().sort({ n: 1 }).hint({ n: 1 }).toArray()).toEqual(
      await things.find().sort({ n: 1, _id: 1 }).toArray(),
    );
    await things.deleteOne({ _id: 3 });
    await things.insertOne({ _id: 9, n: 3 });
  });

  it('stops an ordered batch at the first error, and continues an unordered one', async () => {
    const documents = [{ _id: 4 }, { _id: 1 }, { _id: 5 }];
    const ordered = await things.insertMany(documents).catch((error) => error);
    expect([ordered.code, ordered.insertedCount, ordered.writeErrors[0].index]).toEqual([11000, 1, 1]);
    await things.deleteOne({ _id: 4 });
    const unordered = await things.insertMany(documents, { ordered: false }).catch((error) => error);
    expect([unordered.code, unordered.insertedCount]).toEqual([11000, 2]);
  });

  it('continues after the last document of a cursor, even if that is removed', async () => {
    await things.insertMany(Array.from({ length: 500 }, (_, i) => ({ _id: 100 + i, user: 'c', n: i })));
    const sorts: Record<string, 1 | -1>[] = [{ _id: 1 }, { _id: -1 }, { user: 1, n: -1 }, { n: 1 }];
    for (const sort of sorts) {
      const seen: number[] = [];
      for await (const doc of things.find({ user: 'c' }).sort(sort).batchSize(7)) {
        seen.push(doc._id);
        if (doc._id % 100 === 3) await things.deleteOne({ _id: doc._id });
      }
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.length).toBe(500);
      await things.insertMany([0, 1, 2, 3, 4].map((i) => ({ _id: 103 + i * 100, user: 'c', n: 3 + i * 100 })));
    }
  });

  it('reads the newest commit with each command, and an earlier one with a cursor', async () => {
    const cursor = things.find().batchSize(1);
    expect(await cursor.next()).toMatchObject({ _id: 1 });
    await things.updateMany({}, { $set: { seen: true } });
    expect(await things.countDocuments({ seen: true })).toBe(3);
    expect((await cursor.toArray()).length).toBe(2);
  });

  it('uses sparse and partial indexes only if they contain every match', async () => {
    await things.createIndex({ tags: 1 }, { sparse: true });
    await things.createIndex({ n: 1 }, { partialFilterExpression: { n: { $gt: 1 } } });
    expect(await things.countDocuments({ tags: null })).toBe(1);
    expect(await things.countDocuments({ tags: 'x' })).toBe(1);
    expect(await things.find().sort({ tags: 1 }).toArray()).toHaveLength(3);
    expect(
      await things
        .find({ n: { $gte: 1 } })
        .sort({ n: 1 })
        .toArray(),
    ).toHaveLength(3);
  });

  it('rejects documents that are too large or too deep, and keys too long for an index', async () => {
    await expect(things.insertOne({ text: 'x'.repeat(16 * 1024 * 1024 - 10) })).rejects.toMatchObject({ code: 10334 });
    let deep: Doc = {};
    for (let i = 0; i < 200; i++) deep = { deep };
    await expect(things.insertOne(deep)).rejects.toMatchObject({ code: 15 });
    await expect(things.insertOne({ user: 'x'.repeat(2000) })).rejects.toMatchObject({ code: 17280 });
    expect(await things.countDocuments()).toBe(3);
  });

  it('describes itself', async () => {
    expect(await db.command({ buildInfo: 1 })).toMatchObject({ modules: ['embedded-mongo'], ok: 1 });
    expect(await db.admin().listDatabases()).toMatchObject({ databases: [{ name: 'test' }] });
  });

  it('keeps the types of unchanged numbers', async () => {
    const typed = db.collection<any>('typed', { promoteValues: false });
    await typed.insertOne({
      _id: 1,
      d: new mongo.Double(1),
      l: mongo.Long.fromNumber(1),
      i: 1,
      m: new mongo.Decimal128('1.0'),
    });
    await typed.updateOne({ _id: 1 }, { $inc: { i: 1 } });
    const [doc = {}] = await typed.aggregate([{ $match: { d: 1 } }, { $project: { d: 1, l: 1, m: 1 } }]).toArray();
    expect([doc.d, doc.l, doc.m]).toEqual([new mongo.Double(1), mongo.Long.fromNumber(1), new mongo.Decimal128('1.0')]);
    expect((await typed.findOne({ l: 1 })).i).toEqual(new mongo.Int32(2));
  });
});
