import { mongo } from 'mongoose';
import { withClient } from '../../../../test/support/embedded-client.js';

type Doc = Record<string, any>;

describe('aggregate', () => {
  let db: mongo.Db;
  let things: mongo.Collection<any>;
  withClient((client) => {
    db = client.db('test');
    things = db.collection('things');
  });
  const one = { _id: 1, n: 1, list: [1, 2], sub: { c: 1 } };
  const two = { _id: 2, n: 2, list: [], sub: 7 };
  const three = { _id: 3, n: 2 };
  beforeAll(() => things.insertMany([one, two, three]));

  it.each<[Doc[], Doc[]]>([
    [[], [one, two, three]],
    [[{ $skip: 1 }, { $limit: 1 }], [two]],
    [[{ $limit: 2 }, { $skip: 1 }], [two]],
    [[{ $skip: 1 }, { $skip: 1 }], [three]],
    [[{ $limit: 2 }, { $limit: 1 }], [one]],
    [[{ $limit: 1 }, { $match: { n: 2 } }], []],
    [
      [{ $limit: 3 }, { $sort: { n: -1, _id: -1 } }, { $limit: 2 }],
      [three, two],
    ],
    [[{ $match: { n: 2 } }, { $match: { sub: 7 } }], [two]],
    [[{ $sort: { n: -1, _id: 1 } }, { $skip: 2 }], [one]],
    [[{ $count: 'n' }], [{ n: 3 }]],
    [[{ $match: { n: 9 } }, { $count: 'n' }], []],
    [[{ $match: { n: 2 } }, { $unset: 'sub' }, { $count: 'n' }], [{ n: 2 }]],
    [[{ $match: { n: 9 } }, { $unset: 'sub' }, { $count: 'n' }], []],
    [[{ $group: { _id: null, n: { $sum: 1 } } }], [{ _id: null, n: 3 }]],
    [[{ $group: { _id: 1, n: { $sum: 1 } } }], [{ _id: 1, n: 3 }]],
    [[{ $group: { _id: null, n: { $sum: 2 } } }], [{ _id: null, n: 6 }]],
    [[{ $group: { _id: null, n: { $sum: 1 }, m: { $max: '$n' } } }], [{ _id: null, n: 3, m: 2 }]],
    [[{ $group: { _id: null } }], [{ _id: null }]],
    [
      [{ $group: { _id: '$n', ids: { $push: '$_id' } } }, { $sort: { _id: 1 } }],
      [
        { _id: 1, ids: [1] },
        { _id: 2, ids: [2, 3] },
      ],
    ],
    [[{ $project: { n: 1, m: { $add: ['$n', 1] } } }, { $limit: 1 }], [{ _id: 1, n: 1, m: 2 }]],
    [[{ $project: { sub: { z: '$n' } } }, { $limit: 1 }], [{ _id: 1, sub: { z: 1 } }]],
    [[{ $limit: 1 }, { $project: { 'sub.c': 1 } }], [{ _id: 1, sub: { c: 1 } }]],
    [[{ $limit: 1 }, { $project: { sub: { c: 1 } } }], [{ _id: 1, sub: { c: 1 } }]],
    [[{ $limit: 1 }, { $unset: ['list', 'sub'] }], [{ _id: 1, n: 1 }]],
    [
      [{ $limit: 1 }, { $set: { list: ['$n', '$$ROOT._id'], z: { $size: '$list' } } }],
      [{ ...one, list: [1, 1], z: 2 }],
    ],
    [[{ $limit: 1 }, { $addFields: { 'sub.z': 5 } }], [{ ...one, sub: { c: 1, z: 5 } }]],
    [[{ $limit: 1 }, { $replaceRoot: { newRoot: '$sub' } }], [{ c: 1 }]],
    [
      [{ $unwind: '$list' }, { $project: { list: 1 } }],
      [
        { _id: 1, list: 1 },
        { _id: 1, list: 2 },
      ],
    ],
    [
      [
        { $limit: 1 },
        { $lookup: { from: 'things', localField: 'n', foreignField: 'n', as: 'r' } },
        { $project: { 'r._id': 1 } },
      ],
      [{ _id: 1, r: [{ _id: 1 }] }],
    ],
    [
      [
        { $limit: 1 },
        { $lookup: { from: 'none', localField: 'n', foreignField: 'n', as: 'r' } },
        { $project: { r: 1 } },
      ],
      [{ _id: 1, r: [] }],
    ],
  ])('%j gives %j', async (pipeline, found) => {
    expect(await things.aggregate(pipeline).toArray()).toEqual(found);
  });

  it.each<[unknown, number, string?]>([
    [5, 14, 'TypeMismatch'],
    [[5], 14, 'TypeMismatch'],
    [[{}], 40323],
    [[{ $match: {}, $limit: 1 }], 40323],
    [[{ $match: 5 }], 15959],
    [[{ $match: { $expr: { $eq: ['$n', '$$unknown'] } } }], 17276],
    [[{ $sort: 5 }], 15973],
    [[{ $sort: {} }], 15976],
    [[{ $sort: { n: 2 } }], 15975],
    [[{ $skip: -1 }], 5107200],
    [[{ $skip: 'x' }], 5107200],
    [[{ $limit: 'x' }], 5107201],
    [[{ $limit: 1.5 }], 5107201],
    [[{ $count: 5 }], 40156],
    [[{ $count: '' }], 40157],
    [[{ $count: '$n' }], 40158],
    [[{ $count: 'a.b' }], 40160],
    [[{ $project: 5 }], 15969],
    [[{ $project: {} }], 51272],
    [[{ $project: { n: 1, sub: 0 } }], 31254],
    [[{ $project: { z: { $nothing: 1 } } }], 168, 'InvalidPipelineOperator'],
    [[{ $group: { _id: 1, z: { $nothing: 1 } } }], 168, 'InvalidPipelineOperator'],
    [[{ $out: 'other' }], 40324],
    [[{ $facet: { a: [{ $facet: { b: [] } }] } }], 40600],
    [[{ $unset: [] }], 31119],
    [[{ $addFields: 5 }], 40272],
    [[{ $group: { n: { $sum: 1 } } }], 15955],
    [[{ $limit: 2 }, { $lookup: { from: 'things', as: 'r', pipeline: [{ $match: { $bad: 1 } }] } }], 2, 'BadValue'],
  ])('%j fails with %i', async (...[pipeline, code, codeName = `Location${code}`]) => {
    await expect(db.command({ aggregate: 'things', pipeline, cursor: {} })).rejects.toMatchObject({ code, codeName });
  });

  it('passes the variables of the command to filters and expressions at any depth', async () => {
    const test = { $match: { $expr: { $eq: ['$n', '$$x'] } } };
    const ids = async (pipeline: Doc[]) => {
      const docs = await things.aggregate(pipeline, { let: { x: { $subtract: [3, 2] } } }).toArray();
      return docs.map(({ _id, ...rest }) => [_id, rest.z]);
    };
    expect(await ids([test])).toEqual([[1, undefined]]);
    expect(await ids([{ $limit: 3 }, test, { $set: { z: '$$x' } }])).toEqual([[1, 1]]);
  });

  it('accepts a missing collection, and rejects a command without one', async () => {
    expect(
      await db
        .collection('none')
        .aggregate([{ $group: { _id: '$n' } }])
        .toArray(),
    ).toEqual([]);
    await expect(db.command({ aggregate: 1, pipeline: [{ $match: {} }], cursor: {} })).rejects.toMatchObject({
      code: 73,
      message: expect.stringContaining('embedded-mongo'),
    });
  });

  it('returns its result in batches', async () => {
    for (const pipeline of [[], [{ $set: { z: 1 } }]]) {
      const { cursor } = await db.command({ aggregate: 'things', pipeline, cursor: { batchSize: 1 } });
      expect(cursor.firstBatch).toMatchObject([{ _id: 1 }]);
      const more = await db
        .command({ getMore: mongo.Long.fromNumber(1), collection: 'things' })
        .catch((error) => error.code);
      expect(more).toBe(43);
      expect((await things.aggregate(pipeline, { batchSize: 1 }).toArray()).map(({ _id }) => _id)).toEqual([1, 2, 3]);
    }
    await expect(db.command({ aggregate: 'things', pipeline: [], cursor: { batchSize: -1 } })).rejects.toMatchObject({
      code: 2,
    });
  });

  it('accepts regular expressions, and keeps the stored types of values that a stage does not change', async () => {
    const typed = db.collection<any>('typed', { promoteValues: false, bsonRegExp: true });
    const doc = {
      _id: new mongo.Int32(1),
      list: [new mongo.Double(1), { l: mongo.Long.fromNumber(2) }],
      re: new mongo.BSONRegExp('x', 'i'),
    };
    await typed.insertOne(doc);
    const [found] = await typed.aggregate([{ $set: { z: { $type: '$re' } } }]).toArray();
    expect(found).toEqual({ ...doc, z: 'regex' });
  });
});
