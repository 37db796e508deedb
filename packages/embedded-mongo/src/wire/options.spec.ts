import { mongo } from 'mongoose';
import { withClient } from '../../../../test/support/embedded-client.js';

type Doc = Record<string, any>;
const NOT_SUPPORTED = /not supported by embedded-mongo/;

describe('unsupported features of MongoDB', () => {
  let client: mongo.MongoClient;
  let db: mongo.Db;
  withClient((connected) => {
    client = connected;
    db = client.db('test');
  });
  beforeEach(async () => {
    await db.dropDatabase();
    await db.collection<any>('things').insertOne({ _id: 1 });
  });

  it.each<Doc>([
    { validator: { $jsonSchema: { required: ['a'] } } },
    { validator: { a: { $type: 'string' } } },
    { validationLevel: 'moderate' },
    { validationAction: 'warn' },
    { capped: true, size: 1000 },
    { size: 1000 },
    { viewOn: 'things', pipeline: [] },
    { timeseries: { timeField: 't' } },
    { expireAfterSeconds: 1 },
    { clusteredIndex: { key: { _id: 1 }, unique: true } },
    { changeStreamPreAndPostImages: { enabled: true } },
    { storageEngine: { wiredTiger: {} } },
    { indexOptionDefaults: { storageEngine: {} } },
    { encryptedFields: { fields: [] } },
    { temp: true },
    { autoIndexId: false },
    { collation: { locale: 'de' } },
    { idIndex: { key: { a: 1 }, name: 'a' } },
  ])('create with %j is rejected, and creates nothing', async (options) => {
    await expect(db.command({ create: 'made', ...options })).rejects.toMatchObject({
      code: 72,
      message: expect.stringMatching(NOT_SUPPORTED),
    });
    expect(await db.listCollections({ name: 'made' }).toArray()).toEqual([]);
  });

  it('create accepts options that change nothing, and rejects unknown ones', async () => {
    const idIndex = { v: 2, key: { _id: 1 }, name: '_id_', ns: 'test.made' };
    const harmless = {
      capped: false,
      validator: {},
      validationLevel: 'strict',
      idIndex,
      storageEngine: {},
      comment: 'x',
    };
    await db.command({ create: 'made', ...harmless, writeConcern: { w: 1 } });
    await expect(db.command({ create: 'more', colour: 'red' })).rejects.toMatchObject({ code: 40415 });
    await expect(db.command({ create: 'more', constructor: 1 })).rejects.toMatchObject({ code: 40415 });
  });

  it.each<Doc>([
    { key: { '$**': 1 } },
    { key: { 'a.$**': 1 } },
    { key: { a: 'text' } },
    { key: { a: 'hashed' } },
    { key: { a: '2dsphere' } },
    { key: { a: 1 }, hidden: true },
    { key: { a: 1 }, v: 1 },
    { key: { a: 1 }, prepareUnique: true },
    { key: { a: 1 }, collation: { locale: 'de' } },
    { key: { a: 1 }, storageEngine: { wiredTiger: {} } },
    { key: { a: 1 }, weights: { a: 2 } },
    { key: { a: 1 }, wildcardProjection: { a: 1 } },
  ])('the index %j is rejected', async (index) => {
    await expect(db.command({ createIndexes: 'things', indexes: [{ name: 'x', ...index }] })).rejects.toMatchObject({
      code: 67,
      message: expect.stringMatching(NOT_SUPPORTED),
    });
    expect(await db.collection('things').indexes()).toHaveLength(1);
  });

  it('createIndexes ignores no option', async () => {
    const indexes = [{ key: { a: 1 }, name: 'a', nonsense: 1, hidden: false, v: 2, background: true }];
    const create = (options: Doc) => db.command({ createIndexes: 'things', indexes, ...options });
    await expect(create({})).rejects.toMatchObject({ code: 197 });
    await expect(create({ ignoreUnknownIndexOptions: true, commitQuorum: 1 })).rejects.toMatchObject({ code: 72 });
    await expect(create({ nonsense: 1 })).rejects.toMatchObject({ code: 40415 });
    await create({ ignoreUnknownIndexOptions: true });
    expect((await db.collection('things').indexes())[1]).toEqual({ v: 2, key: { a: 1 }, name: 'a' });
  });

  it.each<Doc>([
    { find: 'things', filter: { $where: 'true' } },
    { find: 'things', filter: { $text: { $search: 'x' } } },
    { find: 'things', filter: { $jsonSchema: {} } },
    { find: 'things', filter: { a: { $near: [0, 0] } } },
    { find: 'things', filter: { a: { $geoWithin: { $center: [[0, 0], 1] } } } },
    { find: 'things', collation: { locale: 'de' } },
    { aggregate: 'things', pipeline: [{ $out: 'x' }], cursor: {} },
    { aggregate: 'things', pipeline: [{ $merge: 'x' }], cursor: {} },
    { aggregate: 'things', pipeline: [{ $changeStream: {} }], cursor: {} },
    { aggregate: 'things', pipeline: [{ $geoNear: {} }], cursor: {} },
    { mapReduce: 'things' },
    { currentOp: 1 },
  ])('%j reports it', async (command) => {
    await expect(db.command(command)).rejects.toMatchObject({ message: expect.stringMatching(NOT_SUPPORTED) });
  });

  it.each<[Doc, number]>([
    [{ find: 'things', readConcern: { level: 'snapshot' } }, 123],
    [{ aggregate: 'things', pipeline: [], cursor: {}, readConcern: { level: 'snapshot' } }, 123],
    [{ distinct: 'things', key: 'a', readConcern: { level: 'linearizable' } }, 123],
    [{ find: 'things', readConcern: { afterClusterTime: new mongo.Timestamp({ t: 1, i: 1 }) } }, 20],
    [{ find: 'things', readConcern: { level: 'snapshot', atClusterTime: new mongo.Timestamp({ t: 1, i: 1 }) } }, 123],
    [{ insert: 'things', documents: [{}], writeConcern: { w: 2 } }, 2],
    [{ update: 'things', updates: [{ q: {}, u: { $set: { a: 1 } } }], writeConcern: { w: 'far' } }, 2],
    [{ drop: 'things', writeConcern: { w: 3 } }, 2],
    [{ insert: 'things', documents: [{}], txnNumber: new mongo.Long(1), lsid: { id: new mongo.UUID() } }, 20],
    [{ find: 'things', min: { _id: 1 } }, 72],
    [{ find: 'things', tailable: true, awaitData: true }, 72],
    [{ explain: { find: 'things', collation: { locale: 'de' } } }, 72],
    [{ explain: { find: 'things', showRecordId: true } }, 72],
  ])('%j asks for what this server cannot give, and changes nothing', async (command, code) => {
    await expect(db.command(command)).rejects.toMatchObject({ code, message: expect.stringMatching(NOT_SUPPORTED) });
    expect(await db.collection('things').find().toArray()).toEqual([{ _id: 1 }]);
  });

  it.each<[Doc, number]>([
    [{ find: 'things', readConcern: { level: 'eventual' } }, 2],
    [{ find: 'things', readConcern: 'local' }, 14],
    [{ find: 'things', readConcern: { depth: 1 } }, 40415],
    [{ insert: 'things', documents: [{}], writeConcern: 1 }, 14],
    [{ insert: 'things', documents: [{}], writeConcern: { w: 51 } }, 9],
    [{ insert: 'things', documents: [{}], writeConcern: { w: -1 } }, 9],
    [{ insert: 'things', documents: [{}], writeConcern: { speed: 1 } }, 40415],
    [{ getMore: new mongo.Long(1), collection: 'things', maxTimeMS: 5 }, 2],
    [{ insert: 'things', documents: [{}], maxTimeMS: 'long' }, 14],
    [{ find: 'things', where: {} }, 40415],
    [{ count: 'things', filter: {} }, 40415],
    [{ distinct: 'things', key: 'a', sort: {} }, 40415],
    [{ aggregate: 'things', pipeline: [], cursor: {}, sort: {} }, 40415],
    [{ insert: 'things', documents: [{}], upsert: true }, 40415],
    [{ update: 'things', updates: [{ q: {}, u: { $set: { a: 1 } } }], multi: true }, 40415],
    [{ delete: 'things', deletes: [{ q: {}, limit: 0 }], limit: 1 }, 40415],
    [{ findAndModify: 'things', update: { $set: { a: 1 } }, filter: {} }, 40415],
    [{ findandmodify: 'things', update: { $set: { a: 1 } }, limit: 1 }, 40415],
  ])('%j is malformed, and changes nothing', async (command, code) => {
    await expect(db.command(command)).rejects.toMatchObject({ code });
    expect(await db.collection('things').find().toArray()).toEqual([{ _id: 1 }]);
  });

  it.each<Doc>([
    { readConcern: {} },
    { readConcern: { level: 'local' } },
    { readConcern: { level: 'available' } },
    { readConcern: { level: 'majority' } },
    { $readPreference: { mode: 'secondaryPreferred' } },
    { allowDiskUse: true, collation: { locale: 'simple' }, let: { a: 1 }, comment: 'x' },
    { tailable: false, awaitData: false, showRecordId: false, noCursorTimeout: false, allowPartialResults: true },
    { maxTimeMS: 60_000, apiVersion: '1', lsid: { id: new mongo.UUID() } },
  ])('a find with %j means here what it says', async (options) => {
    const { cursor } = await db.command({ find: 'things', ...options });
    expect(cursor.firstBatch).toEqual([{ _id: 1 }]);
  });

  it.each<Doc>([{ w: 'majority', j: true, wtimeout: 100 }, { w: 1, fsync: true }, {}])(
    'a write with the concern %j is on the disk when it is acknowledged',
    async (writeConcern) => {
      const insert = { insert: 'things', documents: [{ _id: 2 }], writeConcern };
      expect(await db.command(insert)).toMatchObject({ n: 1, ok: 1 });
    },
  );

  it('transactions and credentials report it', async () => {
    await expect(
      client.withSession((session) =>
        session.withTransaction(() => db.collection('things').insertOne({ a: 1 }, { session })),
      ),
    ).rejects.toMatchObject({ code: 263, message: 'Transactions are not supported by embedded-mongo' });
    const [socket] = client.options.hosts;
    const auth = { username: 'ann', password: 'secret' };
    const known = new mongo.MongoClient(`mongodb://${encodeURIComponent(socket!.socketPath!)}/`, { auth });
    await expect(known.connect()).rejects.toMatchObject({
      code: 18,
      message: 'Authentication (credentials in the URI) is not supported by embedded-mongo',
    });
    await known.close();
  });
});
