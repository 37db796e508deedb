import { mongo } from 'mongoose';
import { withClient } from '../../../../test/support/embedded-client.js';

type Doc = Record<string, any>;

describe('collections and databases', () => {
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
    await things.insertOne({ _id: 1 });
  });

  it('creates, describes and drops a collection', async () => {
    expect(await db.command({ create: 'made' })).toEqual({ ok: 1 });
    const [made] = await db.listCollections({ name: 'made' }).toArray();
    expect(made).toEqual({
      name: 'made',
      type: 'collection',
      options: {},
      info: { readOnly: false, uuid: expect.anything() },
      idIndex: { v: 2, key: { _id: 1 }, name: '_id_' },
    });
    expect(await db.listCollections({}, { nameOnly: true }).toArray()).toEqual([
      { name: 'made', type: 'collection' },
      { name: 'things', type: 'collection' },
    ]);
    await things.createIndex({ a: 1 });
    expect(await db.command({ drop: 'things' })).toEqual({ nIndexesWas: 2, ns: 'test.things', ok: 1 });
    expect(await db.command({ drop: 'things' })).toEqual({ ns: 'test.things', ok: 1 });
    expect(await things.find().toArray()).toEqual([]);
  });

  it('isolates databases from each other', async () => {
    const other = client.db('other');
    await other.collection('things').insertOne({ a: 1 });
    const admin = client.db().admin();
    const list = await admin.listDatabases();
    expect(list.databases.map(({ name }) => name)).toEqual(['other', 'test']);
    expect(await admin.listDatabases({ nameOnly: true, filter: { name: 'test' } })).toMatchObject({
      databases: [{ name: 'test' }],
    });
    expect(await other.command({ dropDatabase: 1 })).toEqual({ dropped: 'other', ok: 1 });
    expect(await things.countDocuments()).toBe(1);
    expect((await admin.listDatabases()).databases).toHaveLength(1);
  });

  it.each<[string, Doc, number, string]>([
    ['test', { create: 'x', viewOn: 'things' }, 72, 'InvalidOptions'],
    ['test', { create: 'x', timeseries: { timeField: 't' } }, 72, 'InvalidOptions'],
    ['test', { create: 'a.' }, 73, 'InvalidNamespace'],
    ['test', { listCollections: 1, filter: 5 }, 14, 'TypeMismatch'],
    ['x'.repeat(64), { create: 'a' }, 73, 'InvalidNamespace'],
  ])('in %s %j fails with %i %s', async (database, command, code, codeName) => {
    await expect(client.db(database).command(command)).rejects.toMatchObject({ code, codeName });
  });

  it('answers the handshake of old and new clients', async () => {
    expect(await db.command({ hello: 1 })).toMatchObject({ isWritablePrimary: true, maxWireVersion: 21, ok: 1 });
    const old = await db.command({ isMaster: 1 });
    expect([old.ismaster, old.isWritablePrimary]).toEqual([true, undefined]);
  });
});
