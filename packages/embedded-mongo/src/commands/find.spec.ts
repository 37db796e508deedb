import { mongo } from 'mongoose';
import { withClient } from '../../../../test/support/embedded-client.js';

type Doc = Record<string, any>;

describe('reading commands', () => {
  let db: mongo.Db;
  let things: mongo.Collection<any>;
  withClient((client) => {
    db = client.db('test');
    things = db.collection('things');
  });
  const one = {
    _id: 1,
    n: 1,
    list: [1, 2, 3],
    sub: { c: 1, d: 2 },
    kids: [
      { x: 1, y: 1 },
      { x: 2, y: 2 },
    ],
  };
  const two = { _id: 2, n: 2, list: 5, sub: 7, kids: [] };
  beforeAll(() => things.insertMany([one, two]));

  it('finds nothing by a value longer than any key of an index', async () => {
    const long = 'x'.repeat(60_000);
    for (const value of [long, { $in: [long, 1] }, { $gt: long }, { $lt: long, $gte: 'a' }])
      expect(await things.countDocuments({ _id: value })).toBe(typeof value === 'object' && '$in' in value ? 1 : 0);
    expect((await things.updateMany({ _id: long, n: { $ne: 0 } }, { $set: { n: 0 } })).matchedCount).toBe(0);
  });

  it.each<[Doc, Doc[], Doc?]>([
    [{}, [one, two]],
    [
      { n: 1 },
      [
        { _id: 1, n: 1 },
        { _id: 2, n: 2 },
      ],
    ],
    [{ n: true, _id: 0 }, [{ n: 1 }, { n: 2 }]],
    [{ _id: 1 }, [{ _id: 1 }, { _id: 2 }]],
    [{ _id: false, kids: 0, sub: 0, list: 0 }, [{ n: 1 }, { n: 2 }]],
    [{ 'sub.c': 1 }, [{ _id: 1, sub: { c: 1 } }, { _id: 2 }]],
    [{ sub: { c: 1, d: 1 } }, [{ _id: 1, sub: { c: 1, d: 2 } }, { _id: 2 }]],
    [
      { 'sub.c': 0, n: 0, kids: 0, list: 0 },
      [
        { _id: 1, sub: { d: 2 } },
        { _id: 2, sub: 7 },
      ],
    ],
    [
      { 'kids.x': 1 },
      [
        { _id: 1, kids: [{ x: 1 }, { x: 2 }] },
        { _id: 2, kids: [] },
      ],
    ],
    [
      { list: { $slice: 1 }, n: 1 },
      [
        { _id: 1, list: [1], n: 1 },
        { _id: 2, list: 5, n: 2 },
      ],
    ],
    [{ list: { $slice: -1 }, _id: 1 }, [{ ...one, list: [3] }, two]],
    [
      { list: { $slice: [1, 1] }, n: 1 },
      [
        { _id: 1, list: [2], n: 1 },
        { _id: 2, list: 5, n: 2 },
      ],
    ],
    [
      { list: { $slice: [-2, 1] }, n: 1 },
      [
        { _id: 1, list: [2], n: 1 },
        { _id: 2, list: 5, n: 2 },
      ],
    ],
    [
      { list: { $slice: [-20, 1] }, n: 1 },
      [
        { _id: 1, list: [1], n: 1 },
        { _id: 2, list: 5, n: 2 },
      ],
    ],
    [{ kids: { $elemMatch: { x: 2 } } }, [{ _id: 1, kids: [{ x: 2, y: 2 }] }, { _id: 2 }]],
    [
      { list: { $elemMatch: { $gt: 1 } }, n: 1 },
      [
        { _id: 1, list: [2], n: 1 },
        { _id: 2, n: 2 },
      ],
    ],
    [{ 'kids.$': 1 }, [{ _id: 1, kids: [{ x: 2, y: 2 }] }], { 'kids.x': 2 }],
    [
      { 'list.$': 1 },
      [
        { _id: 1, list: [3] },
        { _id: 2, list: 5 },
      ],
      { list: { $gt: 2 } },
    ],
    [
      { m: '$n' },
      [
        { _id: 1, m: 1 },
        { _id: 2, m: 2 },
      ],
    ],
    [
      { m: { $add: ['$n', 1] }, n: 1 },
      [
        { _id: 1, n: 1, m: 2 },
        { _id: 2, n: 2, m: 3 },
      ],
    ],
  ])('projection %j gives %j', async (...[projection, found, filter = {}]) => {
    const docs = await things.find(filter).project(projection).toArray();
    expect(docs).toEqual(found);
  });

  it.each<[Doc, number, Doc?]>([
    [{ n: 1, list: 0 }, 31254],
    [{ 'sub.c': 1, sub: 1 }, 31250],
    [{ sub: 1, 'sub.c': 1 }, 31249],
    [{ n: 0, m: '$n' }, 31252],
    [{ m: { $nothing: 1 } }, 168],
    [{ list: { $slice: 'x' } }, 28724],
    [{ list: { $slice: [1] } }, 28724],
    [{ list: { $slice: [1, 0] } }, 28724],
    [{ list: { $slice: [1, 2, 3] } }, 28724],
    [{ kids: { $elemMatch: 5 } }, 2],
    [{ 'list.$': 0 }, 31395],
    [{ 'list.$': 1 }, 51246, { n: 1 }],
    [{ 'list.$': 1 }, 51246, { list: { $ne: 9 } }],
  ])('projection %j fails with %i', async (...[projection, code, filter = {}]) => {
    await expect(things.find(filter).project(projection).toArray()).rejects.toMatchObject({ code });
  });

  /** Keeps a cursor id as a Long. */
  const ask = (command: Doc) => db.command(command, { promoteLongs: false });

  it.each<[Doc, number, string]>([
    [{ find: 5 }, 2, 'BadValue'],
    [{ find: '.a' }, 73, 'InvalidNamespace'],
    [{ find: 'x'.repeat(300) }, 73, 'InvalidNamespace'],
    [{ find: 'things', min: { _id: 1 } }, 72, 'InvalidOptions'],
    [{ find: 'things', tailable: true }, 72, 'InvalidOptions'],
    [{ find: 'things', sort: { n: { $meta: 'textScore' } } }, 2, 'BadValue'],
    [{ find: 'things', sort: { n: 'x' } }, 15974, 'Location15974'],
    [{ find: 'things', limit: -1 }, 2, 'BadValue'],
    [{ find: 'things', limit: 'x' }, 14, 'TypeMismatch'],
    [{ find: 'things', batchSize: -1 }, 2, 'BadValue'],
    [{ find: 'things', maxTimeMS: -1 }, 2, 'BadValue'],
    [{ find: 'things', hint: { x: 1 } }, 2, 'BadValue'],
    [{ find: 'none', filter: { $bad: 1 } }, 2, 'BadValue'],
    [{ find: 'none', sort: { a: 5 } }, 15975, 'Location15975'],
    [{ getMore: 5, collection: 'things' }, 14, 'TypeMismatch'],
    [{ getMore: new mongo.Long(5) }, 2, 'BadValue'],
    [{ killCursors: 'things' }, 14, 'TypeMismatch'],
    [{ killCursors: 'things', cursors: [5] }, 14, 'TypeMismatch'],
    [{ count: 'things', limit: 'x' }, 14, 'TypeMismatch'],
    [{ count: 'things', skip: -1 }, 2, 'BadValue'],
    [{ count: 'things', query: 5 }, 14, 'TypeMismatch'],
    [{ count: 'none', query: { $bad: 1 } }, 2, 'BadValue'],
    [{ distinct: 'things' }, 14, 'TypeMismatch'],
  ])('%j fails with %i %s', async (command, code, codeName) => {
    await expect(ask(command)).rejects.toMatchObject({ code, codeName, ok: 0 });
  });

  it.each<[Doc, number[]]>([
    [{ sort: { $natural: -1 } }, [2, 1]],
    [{ sort: { $natural: 1 } }, [1, 2]],
    [{ hint: { $natural: 1 } }, [1, 2]],
    [{ hint: { $natural: -1 } }, [2, 1]],
    [{ hint: { $natural: -1 }, sort: { n: 1 } }, [1, 2]],
    [{ hint: { $natural: -1 }, filter: { _id: { $in: [1, 2] } } }, [2, 1]],
    [{ hint: { _id: 1 }, filter: { n: 2 } }, [2]],
    [{ hint: '_id_', sort: { _id: -1 } }, [2, 1]],
    [{ sort: { list: 1 } }, [1, 2]],
    [{ sort: { list: -1 } }, [2, 1]],
    [{ sort: { n: -1 }, skip: 1 }, [1]],
    [{ sort: { n: -1 }, limit: 1 }, [2]],
    [{ filter: { n: { $gt: 0 } }, skip: 1 }, [2]],
    [{ filter: { $expr: { $eq: ['$n', '$$two'] } }, let: { two: { $add: [1, 1] } } }, [2]],
    [{ filter: { n: { $gt: 0 } }, maxTimeMS: 10_000 }, [1, 2]],
    [{ batchSize: 1, singleBatch: true }, [1]],
  ])('find with %j gives %j', async (options, ids) => {
    const { cursor } = await ask({ find: 'things', ...options });
    expect(cursor.firstBatch.map(({ _id }: Doc) => _id)).toEqual(ids);
    expect(cursor.id).toEqual(mongo.Long.ZERO);
  });

  it('finds, counts and lists nothing in a collection that does not exist', async () => {
    const reply = await ask({ find: 'none', hint: 'any' });
    expect(reply.cursor).toEqual({ firstBatch: [], id: mongo.Long.ZERO, ns: 'test.none' });
    expect(await ask({ count: 'none' })).toMatchObject({ n: 0 });
    expect(await ask({ distinct: 'none', key: 'a' })).toMatchObject({ values: [] });
  });

  it.each<[Doc, number]>([
    [{}, 2],
    [{ limit: 1 }, 1],
    [{ limit: -1 }, 1],
    [{ skip: 1 }, 1],
    [{ skip: 5 }, 0],
    [{ query: { n: { $gt: 0 } }, skip: 1 }, 1],
    [{ query: { n: { $gt: 0 } }, limit: 1 }, 1],
  ])('count with %j is %i', async (options, n) => {
    expect(await ask({ count: 'things', ...options })).toMatchObject({ n });
  });

  it.each<[string, unknown[], Doc?]>([
    ['list', [1, 2, 3, 5]],
    ['list', [5], { n: 2 }],
    ['sub.c', [1]],
    ['kids.x', [1, 2]],
    [
      'kids',
      [
        { x: 1, y: 1 },
        { x: 2, y: 2 },
      ],
    ],
    ['none', []],
  ])('distinct %s is %j', async (...[key, values, query = {}]) => {
    expect(await things.distinct(key, query)).toEqual(values);
  });

  it('returns distinct values of all types in BSON order', async () => {
    await db.collection('mixed').insertMany([{ v: ['b', 3] }, { v: ['a', null, 1] }, { v: 3 }, {}]);
    expect(await db.collection('mixed').distinct('v')).toEqual([null, 1, 3, 'a', 'b']);
    await db.collection('mixed').drop();
  });

  it('returns batches that fit into a message', async () => {
    const large = db.collection<any>('large');
    for (const _id of [1, 2, 3]) await large.insertOne({ _id, text: 'x'.repeat(7_000_000) });
    const { cursor } = await ask({ find: 'large', batchSize: 3 });
    expect(cursor.firstBatch.map(({ _id }: Doc) => _id)).toEqual([1, 2]);
    const more = await ask({ getMore: cursor.id, collection: 'large' });
    expect(more.cursor.nextBatch.map(({ _id }: Doc) => _id)).toEqual([3]);
    await large.drop();
  });

  it('continues after a document that was read ahead and then removed', async () => {
    const some = db.collection<any>('some');
    await some.insertMany([1, 2, 3, 4].map((_id) => ({ _id })));
    const cursor = some.find().batchSize(1);
    const seen = [await cursor.next()];
    await some.deleteOne({ _id: 2 });
    seen.push(...(await cursor.toArray()));
    expect(seen.map(({ _id }) => _id)).toEqual([1, 2, 3, 4]);
    await some.drop();
  });

  it('aborts a command that takes too long', async () => {
    const many = db.collection<any>('many');
    await many.insertMany(Array.from({ length: 300 }, (_, _id) => ({ _id })));
    let time = 1_000;
    const now = jest.spyOn(performance, 'now').mockImplementation(() => (time += 1_000));
    const search = many.find({ none: 1 }, { maxTimeMS: 600_000 }).toArray();
    await expect(search).rejects.toMatchObject({ code: 50, codeName: 'MaxTimeMSExpired' });
    now.mockRestore();
    await many.drop();
  });

  it('returns batches of the requested size, and closes a cursor with the last', async () => {
    const first = await ask({ find: 'things', batchSize: 0 });
    expect(first.cursor.firstBatch).toEqual([]);
    const { id } = first.cursor;
    const more = (extra: Doc) => ask({ getMore: id, collection: 'things', ...extra });
    await expect(more({ collection: 'others' })).rejects.toMatchObject({ code: 13, codeName: 'Unauthorized' });
    expect((await more({ batchSize: 1 })).cursor).toEqual({ nextBatch: [one], id, ns: 'test.things' });
    expect((await more({})).cursor).toEqual({ nextBatch: [two], id: mongo.Long.ZERO, ns: 'test.things' });
    await expect(more({})).rejects.toMatchObject({ code: 43 });
  });

  it('kills cursors, and reports which did not exist', async () => {
    const { cursor } = await ask({ find: 'things', batchSize: 1 });
    const unknown = new mongo.Long(7);
    const killed = await ask({ killCursors: 'things', cursors: [cursor.id, unknown] });
    expect(killed).toMatchObject({ cursorsKilled: [cursor.id], cursorsNotFound: [unknown], cursorsAlive: [] });
    await expect(ask({ getMore: cursor.id, collection: 'things' })).rejects.toMatchObject({ code: 43 });
  });

  it('closes the cursors of a dropped collection', async () => {
    const gone = db.collection<any>('gone');
    await gone.insertMany([{ _id: 1 }, { _id: 2 }]);
    const { cursor } = await ask({ find: 'gone', batchSize: 1 });
    const other = await ask({ find: 'things', batchSize: 1 });
    await gone.drop();
    await expect(ask({ getMore: cursor.id, collection: 'gone' })).rejects.toMatchObject({ code: 43 });
    expect((await ask({ getMore: other.cursor.id, collection: 'things' })).cursor.nextBatch).toEqual([two]);
  });

  it('returns DBRefs, symbols and code as they were stored', async () => {
    const odd = { _id: 1, ref: { $ref: 'c', $id: 5, $db: 'd', more: 1 }, code: new mongo.Code('x', { a: 1 }) };
    const raw = db.collection<any>('odd', { promoteValues: false });
    await raw.insertOne(odd);
    await raw.updateOne({ 'ref.$id': 5 }, { $set: { 'ref.$id': 6, z: new mongo.BSONSymbol('s') } });
    const found = await raw.findOne({ 'ref.$id': 6 });
    expect(JSON.parse(JSON.stringify(found))).toMatchObject({
      ref: { $ref: 'c', $id: 6, $db: 'd', more: 1 },
      code: { code: 'x', scope: { a: 1 } },
    });
    expect(found.z).toEqual(new mongo.BSONSymbol('s'));
  });
});
