import { mongo } from 'mongoose';
import { withClient } from '../../../../test/support/embedded-client.js';

type Doc = Record<string, any>;

describe('indexes', () => {
  let db: mongo.Db;
  let things: mongo.Collection<any>;
  withClient((client) => {
    db = client.db('test');
    things = db.collection('things');
  });
  beforeEach(async () => {
    await db.dropDatabase();
    await things.insertMany([
      { _id: 1, n: 1, a: [1, 2], b: [3, 4], kids: [{ x: 1 }, { x: 2 }, 5] },
      { _id: 2, n: 2, a: [] },
    ]);
  });

  const create = (...indexes: unknown[]) => db.command({ createIndexes: 'things', indexes });

  it.each<[unknown, number, string]>([
    [5, 9, 'FailedToParse'],
    [{ key: 5, name: 'x' }, 9, 'FailedToParse'],
    [{ key: { n: 1 } }, 9, 'FailedToParse'],
    [{ key: { n: 1 }, name: '' }, 9, 'FailedToParse'],
    [{ key: {}, name: 'x' }, 67, 'CannotCreateIndex'],
    [{ key: { n: 0 }, name: 'x' }, 67, 'CannotCreateIndex'],
    [{ key: { '': 1 }, name: 'x' }, 67, 'CannotCreateIndex'],
    [{ key: { 'a..b': 1 }, name: 'x' }, 67, 'CannotCreateIndex'],
    [{ key: { 'a.$b': 1 }, name: 'x' }, 67, 'CannotCreateIndex'],
    [{ key: { n: 1 }, name: 'x', collation: { locale: 'de' } }, 67, 'CannotCreateIndex'],
    [{ key: { n: 1 }, name: 'x', sparse: true, partialFilterExpression: { n: 1 } }, 67, 'CannotCreateIndex'],
    [{ key: { n: 1 }, name: 'x', partialFilterExpression: 5 }, 14, 'TypeMismatch'],
    [{ key: { n: 1 }, name: 'x', partialFilterExpression: { $bad: 1 } }, 2, 'BadValue'],
    [{ key: { n: 1 }, name: 'x', expireAfterSeconds: -1 }, 67, 'CannotCreateIndex'],
    [{ key: { n: 1 }, name: 'x', expireAfterSeconds: 'x' }, 67, 'CannotCreateIndex'],
    [{ key: { n: 1, b: 1 }, name: 'x', expireAfterSeconds: 1 }, 67, 'CannotCreateIndex'],
    [{ key: { a: 1, b: 1 }, name: 'x' }, 171, 'CannotIndexParallelArrays'],
  ])('createIndexes of %j fails with %i %s, and creates none', async (spec, code, codeName) => {
    await expect(create(spec)).rejects.toMatchObject({ code, codeName });
    expect(await things.indexes()).toHaveLength(1);
  });

  it('requires at least one index', async () => {
    await expect(create()).rejects.toMatchObject({ code: 2 });
    await expect(db.command({ createIndexes: 'things' })).rejects.toMatchObject({ code: 2 });
  });

  it('creates none of a command if a later one fails', async () => {
    const n = { key: { n: 1 }, name: 'n' };
    await expect(create(n, { key: { a: 1, b: 1 }, name: 'x' })).rejects.toMatchObject({ code: 171 });
    expect(await things.indexes()).toHaveLength(1);
    expect(await create(n)).toMatchObject({
      numIndexesBefore: 1,
      numIndexesAfter: 2,
      createdCollectionAutomatically: false,
    });
    expect(await things.find({ n: 2 }).hint('n').toArray()).toMatchObject([{ _id: 2 }]);
  });

  it('recognizes an existing index, and a conflicting one', async () => {
    const spec = { key: { n: 1 }, name: 'x', expireAfterSeconds: 5, partialFilterExpression: { n: { $gt: 1 } } };
    expect(await db.command({ createIndexes: 'fresh', indexes: [spec] })).toMatchObject({
      createdCollectionAutomatically: true,
    });
    await create(spec);
    expect(await create(spec, { key: { _id: 1 }, name: 'any' })).toMatchObject({
      numIndexesBefore: 2,
      numIndexesAfter: 2,
      note: 'all indexes already exist',
    });
    for (const [change, code] of [
      [{ expireAfterSeconds: 6 }, 86],
      [{ key: { n: -1 } }, 86],
      [{ name: 'y', expireAfterSeconds: 6 }, 85],
    ] as const)
      await expect(create({ ...spec, ...change })).rejects.toMatchObject({ code });
    await create({ key: { n: 1 }, name: 'z', collation: { locale: 'simple' } });
    expect(await things.indexes()).toEqual([
      { v: 2, key: { _id: 1 }, name: '_id_' },
      { v: 2, ...spec },
      { v: 2, key: { n: 1 }, name: 'z' },
    ]);
  });

  it('drops by name, by key, several at once, and all but the first', async () => {
    const named = (name: string) => ({ key: { [name]: 1 }, name });
    await create(named('n'), named('a'), named('b'), named('kids.x'), { key: { n: 1, a: 1 }, name: 'both' });
    const drop = (index: unknown) => db.command({ dropIndexes: 'things', index });
    expect(await drop('n')).toMatchObject({ nIndexesWas: 6 });
    expect(await drop({ a: 1 })).toMatchObject({ nIndexesWas: 5 });
    expect(await drop(['b', 'both'])).toMatchObject({ nIndexesWas: 4 });
    await expect(drop({ n: 1 })).rejects.toMatchObject({ code: 27, codeName: 'IndexNotFound' });
    await expect(drop(5)).rejects.toMatchObject({ code: 27 });
    await expect(drop({ _id: 1 })).rejects.toMatchObject({ code: 72 });
    expect(await drop('*')).toMatchObject({ nIndexesWas: 2, msg: 'non-_id indexes dropped for collection' });
    expect(await things.indexes()).toHaveLength(1);
    await expect(db.command({ dropIndexes: 'none', index: '*' })).rejects.toMatchObject({ code: 26 });
  });

  it.each<[Doc, Doc, Doc, number[]]>([
    [{ 'kids.x': 1 }, {}, { 'kids.x': { $gte: 1 } }, [1]],
    [{ 'kids.x': 1 }, {}, { 'kids.x': 2 }, [1]],
    [{ 'kids.0.x': 1 }, {}, { 'kids.0.x': 1 }, [1]],
    [{ 'kids.0.x': 1 }, {}, { 'kids.0.x': 2 }, []],
    [{ 'n.x': 1 }, {}, { 'n.x': null }, [1, 2]],
    [{ a: 1, n: 1 }, {}, { a: { $gt: 0, $lt: 9 }, n: 1 }, [1]],
    [{ 'kids.x': 1, 'kids.y': 1 }, {}, { 'kids.x': 1, 'kids.y': null }, [1]],
    [{ a: -1 }, {}, { a: { $lte: 1 } }, [1]],
    [{ n: 1 }, { partialFilterExpression: { n: 2 } }, { n: 2 }, [2]],
    [{ _id: 1, n: 1 }, { partialFilterExpression: { n: { $eq: 2 } } }, { _id: { $gt: 0 }, n: 2 }, [2]],
    [{ n: 1 }, { partialFilterExpression: { n: { $exists: true } } }, { n: { $gt: 0 } }, [1, 2]],
    [{ n: 1 }, { partialFilterExpression: { n: { $type: 'string' } } }, { n: 1 }, [1]],
    [{ n: 1 }, { partialFilterExpression: { n: { $gt: 1 } } }, { n: { $gt: 1 } }, [2]],
    [{ n: 1 }, { sparse: true }, { n: { $in: [1, null] } }, [1]],
    [{ n: 1 }, {}, { $and: [{ n: { $gt: 0 } }, { n: { $gte: 0 } }, { n: { $gt: 1 } }, { n: { $lte: 2 } }] }, [2]],
    [{ n: 1 }, {}, { n: { $gte: 1, $gt: 1 } }, [2]],
    [{ n: 1 }, {}, { n: { $eq: 2 } }, [2]],
    [{ n: 1 }, { partialFilterExpression: { n: 2 } }, { n: { $eq: 2 } }, [2]],
    [{ n: 1 }, {}, { $and: [{ n: { $gt: 1 } }, { n: { $gt: 0 } }] }, [2]],
    [{ n: 1 }, {}, { $or: [{ n: { $gte: 0, $lt: 2 } }, { n: { $gt: 0, $lt: 9 } }] }, [1, 2]],
    [{ n: 1 }, {}, { n: { $gt: 0, $lt: 2, $ne: 5 } }, [1]],
    [{ n: 1 }, {}, { $or: [{ n: { $gte: 1, $lt: 2 } }, { n: { $gt: 0, $lt: 9 } }] }, [1, 2]],
    [{ n: 1, _id: 1 }, {}, { n: { $gt: 0 }, $or: [{ n: 1 }, { n: 2, _id: 2 }] }, [1, 2]],
    [{ n: 1 }, {}, { n: { $gt: 0, $lt: 'x' } }, []],
  ])('an index %j with %j answers %j like a full scan', async (key, options, filter, ids) => {
    const find = async () => (await things.find(filter).sort({ _id: 1 }).toArray()).map(({ _id }) => _id);
    expect(await find()).toEqual(ids);
    await things.createIndex(key, { name: 'x', ...options });
    expect(await find()).toEqual(ids);
    expect(await things.countDocuments(filter)).toBe(ids.length);
    expect((await things.find(filter).limit(1).toArray()).length).toBe(Math.min(1, ids.length));
  });

  it('scans several ranges in order, and skips entries', async () => {
    await things.insertMany([
      { _id: 3, n: 3 },
      { _id: 4, n: 3 },
    ]);
    await things.createIndex({ n: 1 });
    const ids = async (cursor: mongo.FindCursor) => (await cursor.toArray()).map(({ _id }) => _id);
    expect(await ids(things.find({ _id: { $in: [1, 2, 4] } }).skip(1))).toEqual([2, 4]);
    expect(await ids(things.find({ n: 3 }).sort({ n: 1 }).limit(1))).toEqual([3]);
  });

  it.each<[unknown, string, unknown]>([
    ['x"y', '"x\\"y"', 'x"y'],
    [new Date(5), 'new Date(5)', new Date(5)],
    [
      new mongo.ObjectId('0123456789abcdef01234567'),
      "ObjectId('0123456789abcdef01234567')",
      new mongo.ObjectId('0123456789abcdef01234567'),
    ],
    [mongo.Long.fromString('9007199254740993'), '9007199254740993', mongo.Long.fromString('9007199254740993')],
    [null, 'null', null],
    [[], 'null', null],
    [{ a: 1 }, '{"a":1}', { a: 1 }],
  ])('names %j in the duplicate key error', async (value, shown, keyValue) => {
    const unique = db.collection<any>('unique', { promoteLongs: false });
    await unique.createIndex({ v: 1 }, { unique: true });
    await unique.insertOne({ _id: 1, v: value });
    await expect(unique.insertOne({ _id: 2, v: value })).rejects.toMatchObject({
      message: `E11000 duplicate key error collection: test.unique index: v_1 dup key: { v: ${shown} }`,
    });
    const reply = await db.command({ insert: 'unique', documents: [{ v: value }] }, { promoteLongs: false });
    expect(reply.writeErrors[0]).toMatchObject({ code: 11000, keyPattern: { v: 1 }, keyValue: { v: keyValue } });
  });

  it('updates the entries of a changed document', async () => {
    await things.createIndex({ a: 1 });
    await things.createIndex({ n: 1 }, { partialFilterExpression: { n: { $gt: 1 } } });
    await things.updateOne({ _id: 1 }, { $set: { a: [2, 9], n: 5 } });
    const found = (filter: Doc) => things.countDocuments(filter);
    expect([
      await found({ a: 1 }),
      await found({ a: 2 }),
      await found({ a: 9 }),
      await found({ n: { $gt: 1 } }),
    ]).toEqual([0, 1, 1, 2]);
    await things.updateOne({ _id: 1 }, { $set: { a: 9, n: 0 } });
    expect([await found({ a: 2 }), await found({ a: 9 }), await found({ n: { $gt: 1 } })]).toEqual([0, 1, 1]);
  });
});
