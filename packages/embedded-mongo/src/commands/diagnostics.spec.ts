import { mongo } from 'mongoose';
import { withClient } from '../../../../test/support/embedded-client.js';

type Doc = Record<string, any>;

describe('commands of shells and tools', () => {
  let client: mongo.MongoClient;
  let db: mongo.Db;
  let things: mongo.Collection<any>;
  withClient((connected) => {
    client = connected;
    db = client.db('test');
    things = db.collection('things');
  });
  beforeEach(async () => {
    await db.dropDatabase();
    await things.insertMany(Array.from({ length: 500 }, (_, i) => ({ _id: i, n: i % 10, text: 'x'.repeat(100) })));
    await things.createIndex({ n: 1 }, { name: 'n' });
  });
  const admin = (command: Doc) => client.db('admin').command(command);

  it('describe the server', async () => {
    expect(await admin({ serverStatus: 1 })).toMatchObject({
      process: 'embedded-mongo',
      pid: process.pid,
      storageEngine: { name: 'lmdb' },
      connections: { current: expect.any(Number) },
    });
    expect(await admin({ connectionStatus: 1, showPrivileges: true })).toMatchObject({
      authInfo: { authenticatedUsers: [], authenticatedUserRoles: [], authenticatedUserPrivileges: [] },
    });
    expect(await admin({ getParameter: 1, featureCompatibilityVersion: 1 })).toEqual({
      featureCompatibilityVersion: { version: '7.0' },
      ok: 1,
    });
    expect(await admin({ getParameter: '*' })).toHaveProperty('authenticationMechanisms', []);
    await expect(admin({ getParameter: 1, none: 1 })).rejects.toMatchObject({ code: 72 });
  });

  it('warn against use in production', async () => {
    const { log, totalLinesWritten } = await admin({ getLog: 'startupWarnings' });
    expect(totalLinesWritten).toBe(1);
    expect(JSON.parse(log[0])).toMatchObject({ s: 'W', msg: expect.stringContaining('no authentication') });
    expect(await admin({ getLog: '*' })).toMatchObject({ names: ['startupWarnings'] });
    await expect(admin({ getLog: 'global' })).rejects.toMatchObject({ code: 115 });
    await expect(admin({ getLog: 'x' })).rejects.toMatchObject({ code: 96 });
  });

  it('report the sizes of collections, indexes and databases', async () => {
    const [doc] = await things.find().limit(1).toArray();
    const bytes = mongo.BSON.calculateObjectSize(doc!);
    const stats = await db.command({ collStats: 'things' });
    expect(stats).toMatchObject({ ns: 'test.things', count: 500, size: 500 * bytes, avgObjSize: bytes, nindexes: 2 });
    expect(Object.keys(stats.indexSizes)).toEqual(['_id_', 'n']);
    expect(stats.totalIndexSize).toBe(stats.indexSizes._id_ + stats.indexSizes.n);
    expect(await db.command({ collStats: 'things', scale: 1024 })).toMatchObject({
      size: Math.floor((500 * bytes) / 1024),
      scaleFactor: 1024,
    });
    expect(await db.command({ collStats: 'none' })).toMatchObject({ count: 0, size: 0, nindexes: 0 });
    await expect(db.command({ collStats: 'things', scale: 0 })).rejects.toMatchObject({ code: 2 });
    expect(await db.command({ dbStats: 1 })).toMatchObject({
      db: 'test',
      collections: 1,
      objects: 500,
      dataSize: 500 * bytes,
      indexes: 2,
      totalSize: stats.totalSize,
    });
    const { databases, totalSize } = await client.db().admin().listDatabases();
    expect(databases).toEqual([{ name: 'test', sizeOnDisk: stats.totalSize, empty: false }]);
    expect(totalSize).toBe(stats.totalSize);
  });

  it('report them as the first stage of a pipeline', async () => {
    const { storageStats, count } = (
      await things.aggregate([{ $collStats: { storageStats: { scale: 1 }, count: {} } }]).toArray()
    )[0]!;
    const stats = await db.command({ collStats: 'things' });
    expect([count, storageStats.size, storageStats.totalIndexSize]).toEqual([500, stats.size, stats.totalIndexSize]);
    const summed = [
      { $collStats: { storageStats: {} } },
      { $group: { _id: null, size: { $sum: '$storageStats.size' } } },
    ];
    expect(await things.aggregate(summed).toArray()).toEqual([{ _id: null, size: stats.size }]);
    await expect(things.aggregate([{ $collStats: { latencyStats: {} } }]).toArray()).rejects.toMatchObject({
      code: 115,
    });
    await expect(
      db
        .collection('none')
        .aggregate([{ $collStats: {} }])
        .toArray(),
    ).rejects.toMatchObject({ code: 26 });
    const late = [{ $match: {} }, { $collStats: {} }];
    await expect(things.aggregate(late).toArray()).rejects.toMatchObject({ code: 40324 });
  });

  it('rename a collection with its indexes, and replace another one only on request', async () => {
    await db.collection<any>('other').insertOne({ _id: 1 });
    const rename = (from: string, to: string, rest: Doc = {}) => admin({ renameCollection: from, to, ...rest });
    await expect(rename('test.none', 'test.x')).rejects.toMatchObject({ code: 26 });
    await expect(rename('test.things', 'test.things')).rejects.toMatchObject({ code: 20 });
    await expect(rename('test.things', 'test.other')).rejects.toMatchObject({ code: 48 });
    await expect(rename('test.things', 'test')).rejects.toMatchObject({ code: 73 });
    await things.rename('other', { dropTarget: true });
    expect(await db.listCollections({}, { nameOnly: true }).toArray()).toEqual([{ name: 'other', type: 'collection' }]);
    const other = db.collection('other');
    expect(await other.countDocuments({ n: 3 }, { hint: 'n' })).toBe(50);
    await rename('test.other', 'second.moved.there');
    expect(await client.db('second').collection('moved.there').countDocuments()).toBe(500);
    await client.db('second').dropDatabase();
  });

  it('change the expiry of a TTL index, and nothing else', async () => {
    await things.createIndex({ at: 1 }, { name: 'at', expireAfterSeconds: 5 });
    const change = (command: Doc) => db.command({ collMod: 'things', ...command });
    expect(await change({ index: { name: 'at', expireAfterSeconds: 9 } })).toEqual({
      expireAfterSeconds_old: 5,
      expireAfterSeconds_new: 9,
      ok: 1,
    });
    expect(await change({ index: { keyPattern: { n: 1 }, expireAfterSeconds: 7 } })).toEqual({
      expireAfterSeconds_new: 7,
      ok: 1,
    });
    expect((await things.indexes()).map(({ expireAfterSeconds }) => expireAfterSeconds)).toEqual([undefined, 7, 9]);
    await expect(change({ index: { name: 'none', expireAfterSeconds: 9 } })).rejects.toMatchObject({ code: 27 });
    await expect(change({ index: { name: 'at', expireAfterSeconds: -1 } })).rejects.toMatchObject({ code: 72 });
    await expect(change({ index: { expireAfterSeconds: 1 } })).rejects.toMatchObject({ code: 72 });
    await expect(db.command({ collMod: 'none' })).rejects.toMatchObject({ code: 26 });
    for (const refused of [{ index: { name: 'at', hidden: true } }, { validator: { a: 1 } }, { viewOn: 'x' }])
      await expect(change(refused)).rejects.toMatchObject({ message: expect.stringMatching(/not supported by/) });
  });

  it.each<[Doc, Doc, Doc]>([
    [
      { find: 'things', filter: { n: 3 } },
      { stage: 'FETCH', inputStage: { stage: 'IXSCAN', indexName: 'n', direction: 'forward' } },
      { nReturned: 50, totalKeysExamined: 50, totalDocsExamined: 50 },
    ],
    [
      { find: 'things', filter: { text: 'y' }, sort: { text: 1 }, limit: 5 },
      { stage: 'LIMIT', inputStage: { stage: 'SORT', inputStage: { stage: 'COLLSCAN', filter: { text: 'y' } } } },
      { nReturned: 0, totalKeysExamined: 0, totalDocsExamined: 500 },
    ],
    [
      { count: 'things', query: { n: { $gte: 8 } } },
      { stage: 'COUNT', inputStage: { stage: 'IXSCAN', keyPattern: { n: 1 } } },
      { nReturned: 100, totalDocsExamined: 0 },
    ],
    [
      { delete: 'things', deletes: [{ q: { _id: 7 }, limit: 1 }] },
      { stage: 'LIMIT', inputStage: { stage: 'FETCH', inputStage: { indexName: '_id_', isUnique: true } } },
      { nReturned: 1, totalKeysExamined: 1, totalDocsExamined: 1 },
    ],
    [{ find: 'none', filter: {} }, { stage: 'EOF' }, { nReturned: 0 }],
  ])('explain %j', async (command, winningPlan, executionStats) => {
    const plan = await db.command({ explain: command, verbosity: 'queryPlanner' });
    expect(plan.queryPlanner).toMatchObject({ winningPlan });
    expect(plan.executionStats).toBeUndefined();
    expect(await db.command({ explain: command })).toMatchObject({ executionStats });
    expect(await things.countDocuments()).toBe(500);
  });

  it('explain rejects unsupported commands', async () => {
    await expect(db.command({ explain: { insert: 'things' } })).rejects.toMatchObject({ code: 115 });
    await expect(db.command({ explain: {}, verbosity: 'all' })).rejects.toMatchObject({ code: 9 });
    await expect(db.command({ explain: { find: 'things', filter: { $bad: 1 } } })).rejects.toMatchObject({ code: 2 });
  });
});
