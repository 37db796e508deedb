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
