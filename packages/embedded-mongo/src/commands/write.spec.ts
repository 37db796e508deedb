import { mongo } from 'mongoose';
import { withClient } from '../../../../test/support/embedded-client.js';

type Doc = Record<string, any>;

describe('writing commands', () => {
  let db: mongo.Db;
  let things: mongo.Collection<any>;
  withClient((client) => {
    db = client.db('test');
    things = db.collection('things');
  });
  const one = { _id: 1, n: 1, list: [1, 2] };
  const two = { _id: 2, n: 2 };
  beforeEach(async () => {
    await db.dropDatabase();
    await things.insertMany([one, two]);
  });
  const all = () => things.find().sort({ _id: 1 }).toArray();

  it.each<[Doc, number, string]>([
    [{ insert: 'things' }, 40414, 'Location40414'],
    [{ insert: 'things', documents: 5 }, 40414, 'Location40414'],
    [{ update: 'things', updates: 5 }, 40414, 'Location40414'],
    [{ update: 'things', updates: [5] }, 14, 'TypeMismatch'],
    [{ update: 'things', updates: [null] }, 14, 'TypeMismatch'],
    [{ update: 'things', updates: [{ u: { $set: { n: 0 } }, multi: true }] }, 40414, 'Location40414'],
    [{ update: 'things', updates: [{ q: {}, multi: true }] }, 40414, 'Location40414'],
    [{ delete: 'things', deletes: [5] }, 14, 'TypeMismatch'],
    [{ delete: 'things', deletes: [{ limit: 0 }] }, 40414, 'Location40414'],
    [{ delete: 'things', deletes: [{ q: {} }] }, 40414, 'Location40414'],
    [{ delete: 'things', deletes: [{ q: {}, limit: 0, sort: {} }] }, 40415, 'IDLUnknownField'],
    [{ delete: 'things', deletes: [{ q: {}, limit: 0, collation: { locale: 'de' } }] }, 72, 'InvalidOptions'],
    [{ findAndModify: 'things', query: 5, remove: true }, 14, 'TypeMismatch'],
    [{ findAndModify: 'things', query: {}, remove: true, update: {} }, 9, 'FailedToParse'],
    [{ findAndModify: 'things', query: {}, remove: true, upsert: true }, 9, 'FailedToParse'],
    [{ findAndModify: 'things', query: {}, update: 5 }, 9, 'FailedToParse'],
    [{ findAndModify: 'things', query: {}, update: {}, let: { x: { $nothing: 1 } } }, 168, 'InvalidPipelineOperator'],
  ])('%j fails with %i %s and changes nothing', async (command, code, codeName) => {
    await expect(db.command(command)).rejects.toMatchObject({ code, codeName, ok: 0 });
    expect(await all()).toEqual([one, two]);
  });

  it.each<[Doc, number]>([
    [{ insert: 'things', documents: [5] }, 14],
    [{ insert: 'things', documents: [{ _id: [1] }] }, 53],
    [{ insert: 'things', documents: [{ _id: new mongo.BSONRegExp('x') }] }, 53],
    [{ insert: 'things', documents: [{ _id: { $a: 1 } }] }, 52],
    [{ update: 'things', updates: [{ q: 5, u: {} }] }, 14],
    [{ update: 'things', updates: [{ q: {}, u: { n: 0 }, multi: true }] }, 9],
    [{ update: 'things', updates: [{ q: {}, u: { $set: { n: 0 } }, hint: 'none' }] }, 2],
    [{ update: 'things', updates: [{ q: { $expr: { $eq: ['$n', '$$x'] } }, u: { n: 0 } }] }, 17276],
    [{ update: 'things', updates: [{ q: { _id: 9 }, u: { _id: 8 }, upsert: true }] }, 66],
    [{ update: 'things', updates: [{ q: { _id: 9 }, u: { $set: { _id: 8 } }, upsert: true }] }, 66],
    [{ delete: 'things', deletes: [{ q: 5, limit: 0 }] }, 14],
    [{ delete: 'things', deletes: [{ q: {}, limit: 2 }] }, 9],
    [{ delete: 'things', deletes: [{ q: {}, limit: 'x' }] }, 9],
    [{ delete: 'things', deletes: [{ q: {}, limit: 0, hint: 'none' }] }, 2],
  ])('%j has a write error %i and changes nothing', async (command, code) => {
    expect(await db.command(command)).toMatchObject({ ok: 1, n: 0, writeErrors: [{ index: 0, code }] });
    expect(await all()).toEqual([one, two]);
  });

  it('moves the _id to the front, and generates a missing one', async () => {
    await things.insertOne({ x: 1, _id: 3 });
    await db.command({ insert: 'things', documents: [{ x: 1 }, { _id: { $ref: 'c', $id: 1 } }] });
    const stored = await things.find({ _id: { $nin: [1, 2] } }).toArray();
    expect(stored.map((doc) => Object.keys(doc))).toEqual([['_id', 'x'], ['_id', 'x'], ['_id']]);
    expect(stored[1]._id).toBeInstanceOf(mongo.ObjectId);
  });

  it.each<[Doc, Doc, Doc[]]>([
    [{ q: { _id: 1 }, u: { z: 1 } }, { n: 1, nModified: 1 }, [{ _id: 1, z: 1 }, two]],
    [{ q: { _id: 1 }, u: { $set: { n: 1 } } }, { n: 1, nModified: 0 }, [one, two]],
    [
      { q: {}, u: { $inc: { n: 1 } }, multi: true },
      { n: 2, nModified: 2 },
      [
        { ...one, n: 2 },
        { ...two, n: 3 },
      ],
    ],
    [{ q: { _id: 9 }, u: { z: 1 } }, { n: 0, nModified: 0 }, [one, two]],
    [
      { q: { _id: 9 }, u: { z: 1 }, upsert: true },
      { n: 1, nModified: 0, upserted: [{ index: 0, _id: 9 }] },
      [one, two, { _id: 9, z: 1 }],
    ],
    [
      { q: { n: 9 }, u: { _id: 8, z: 1 }, upsert: true },
      { n: 1, upserted: [{ index: 0, _id: 8 }] },
      [one, two, { _id: 8, z: 1 }],
    ],
    [
      {
        q: { _id: 9, re: new mongo.BSONRegExp('x'), n: { $gt: 5 } },
        u: [{ $set: { z: '$$x' } }],
        c: { x: 5 },
        upsert: true,
      },
      { n: 1, upserted: [{ index: 0, _id: 9 }] },
      [one, two, { _id: 9, z: 5 }],
    ],
  ])('update %j', async (statement, reply, docs) => {
    expect(await db.command({ update: 'things', updates: [statement] })).toMatchObject(reply);
    expect(await all()).toEqual(docs);
  });

  it('updates and removes nothing in a collection that does not exist, and creates it for an upsert', async () => {
    const q = { _id: 1 };
    expect(await db.command({ update: 'none', updates: [{ q, u: { a: 1 } }] })).toMatchObject({ n: 0, nModified: 0 });
    expect(await db.command({ delete: 'none', deletes: [{ q, limit: 0 }] })).toMatchObject({ n: 0 });
    expect(await db.command({ findAndModify: 'none', query: q, update: { a: 1 } })).toMatchObject({
      lastErrorObject: { n: 0, updatedExisting: false },
      value: null,
    });
    expect(await db.listCollections({ name: 'none' }).toArray()).toEqual([]);
    await db.command({ update: 'none', updates: [{ q, u: { a: 1 }, upsert: true }] });
    expect(await db.collection('none').find().toArray()).toEqual([{ _id: 1, a: 1 }]);
  });

  it('removes one or all', async () => {
    expect(await db.command({ delete: 'things', deletes: [{ q: {}, limit: 1 }] })).toMatchObject({ n: 1 });
    expect(await all()).toEqual([two]);
    expect(await db.command({ delete: 'things', deletes: [{ q: { n: { $gt: 0 } }, limit: 0 }] })).toMatchObject({
      n: 1,
    });
    expect(await all()).toEqual([]);
  });

  it.each<[Doc, Doc, unknown]>([
    [{ query: { _id: 1 }, remove: true }, { n: 1 }, one],
    [{ query: { _id: 9 }, remove: true }, { n: 0 }, null],
    [{ query: {}, sort: { n: -1 }, remove: true, fields: { n: 1, _id: 0 } }, { n: 1 }, { n: 2 }],
    [{ query: { _id: 2 }, update: { $set: { z: 1 } } }, { n: 1, updatedExisting: true }, two],
    [
      { query: { n: 2 }, update: { $set: { z: 1 } }, new: true },
      { n: 1, updatedExisting: true },
      { ...two, z: 1 },
    ],
    [
      { query: { list: 2 }, update: { $set: { 'list.$': 9 } }, new: true, fields: { list: 1 } },
      { n: 1, updatedExisting: true },
      { _id: 1, list: [1, 9] },
    ],
    [{ query: { _id: 9 }, update: { $set: { z: 1 } } }, { n: 0, updatedExisting: false }, null],
    [
      { query: { _id: 9 }, update: { $set: { z: 1 } }, upsert: true },
      { n: 1, updatedExisting: false, upserted: 9 },
      null,
    ],
    [
      { query: { _id: 9 }, update: { $set: { z: 1 } }, upsert: true, new: true },
      { n: 1, updatedExisting: false, upserted: 9 },
      { _id: 9, z: 1 },
    ],
    [
      { query: { _id: 2 }, update: [{ $set: { z: '$$x' } }], let: { x: 3 }, new: true },
      { n: 1, updatedExisting: true },
      { ...two, z: 3 },
    ],
  ])('findAndModify %j', async (options, lastErrorObject, value) => {
    expect(await db.command({ findAndModify: 'things', ...options })).toEqual({ lastErrorObject, value, ok: 1 });
  });
});
