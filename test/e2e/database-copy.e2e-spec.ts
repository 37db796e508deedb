import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getConnectionToken } from '@nestjs/mongoose';
import { type Connection, mongo } from 'mongoose';
import { createEmbeddedMongo } from 'avatar-chat-embedded-mongo';
import { ChatService, Owner } from '../../src/index.js';
import { FileService } from '../../src/files/index.js';
import { databaseLocation } from 'avatar-chat-runtime';
import { DatabaseCopy } from '../../src/platform/database/index.js';
import { cli, setCliVariables } from '../support/cli.js';
import { aRecording, aTurn, createTestApp, onEachServer, type TestApp } from '../support/index.js';

const { BSON } = mongo;

onEachServer((server) => {
  let dir: string;
  let test: TestApp;
  let client: mongo.MongoClient;
  let source: mongo.Db;
  const made: mongo.Db[] = [];
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'avatar-chat-copy-'));
    test = await createTestApp({ server });
    setCliVariables(test, dir);
    client = await new mongo.MongoClient(server.uri).connect();
    source = client.db(test.app.get<Connection>(getConnectionToken()).db!.databaseName);
    await fill();
  });
  afterAll(async () => {
    for (const db of made) await db.dropDatabase();
    await client.close();
    await test.close();
    await rm(dir, { recursive: true, force: true });
  });

  /** Everything that a service stores, and what a module might. */
  async function fill(): Promise<void> {
    const owner = new Owner('default', 'ann');
    for (let n = 0; n < 3; n++) await test.app.get(ChatService).record(aTurn({ owner, request: `${n}` }));
    await test.app.get(FileService, { strict: false }).save(owner, [aRecording(4)]);
    await test.call({ path: '/connection', token: await test.token('ann') });
    const long = BSON.Long.fromString('9007199254740993');
    const odd = {
      double: new BSON.Double(5),
      decimal: BSON.Decimal128.fromString('1.10'),
      date: new Date(0),
      nested: [{ a: null }, { 7: 'seven', 1: 'one', x: new BSON.Binary(Buffer.from([0, 255])) }],
    };
    const things = source.collection<mongo.Document>('module_things');
    // More than one batch.
    await things.insertMany(
      Array.from({ length: 1100 }, (_, n) => ({
        _id: n % 2 ? (n as never) : (`t-${n}` as never),
        n,
        long,
        ...(n % 10 ? {} : odd),
      })),
    );
    await things.createIndex({ n: -1, long: 1 }, { unique: true, partialFilterExpression: { n: { $gt: 5 } } });
    await source.createCollection('module_empty');
  }

  function aTarget(): { db: mongo.Db; uri: string } {
    const db = client.db(`copy_${randomBytes(6).toString('hex')}`);
    made.push(db);
    const url = new URL(server.uri.replace(/^mongodb/, 'http'));
    url.pathname = `/${db.databaseName}`;
    return { db, uri: url.href.replace(/^http/, 'mongodb') };
  }

  /** The bytes of each document, and the indexes, by collection. */
  async function contentsOf(db: mongo.Db): Promise<Record<string, unknown>> {
    const all = (await db.listCollections().toArray()).map(({ name }) => name).sort();
    // The lease of background work is renewed all the time.
    const names = all.filter((name) => name !== 'background');
    const contents = names.map(async (name) => {
      const documents = await db.collection(name).find({}, { raw: true }).toArray();
      const bytes = documents.map((document) => (document as unknown as Buffer).toString('base64')).sort();
      const indexes = await db.collection(name).listIndexes().toArray();
      return [name, { bytes, indexes: indexes.map(({ v: _, ...index }) => index).sort(byName) }];
    });
    return Object.fromEntries(await Promise.all(contents));
  }
  const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1);

  it("copies everything, byte by byte, to another server's database, and from there to an embedded store", async () => {
    const { db, uri } = aTarget();
    const { code, out, err } = await cli(`database copy --to ${uri}`);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^copied and verified: collections \d+, documents \d+\n$/);
    const contents = await contentsOf(source);
    expect(Object.keys(contents)).toEqual(
      expect.arrayContaining(['files.chunks', 'module_empty', 'projects', 'sessions']),
    );
    expect(await contentsOf(db)).toEqual(contents);
    expect(await cli(`database copy --to ${uri}`)).toEqual({
      code: 1,
      out: '',
      err: 'The target is not empty. Nothing was copied.\n',
    });
    const path = join(dir, 'embedded');
    expect(await cli(`database copy --to embedded:${path}`)).toMatchObject({ code: 0, out });
    const store = await createEmbeddedMongo({ path });
    const other = await new mongo.MongoClient(store.uri).connect();
    expect(await contentsOf(other.db('avatar_chat'))).toEqual(contents);
    await other.close();
    await store.close();
  });

  it('completes an interrupted copy, including later changes', async () => {
    const { db, uri } = aTarget();
    await db.collection('database_copy').insertOne({ started_at: new Date() });
    const things = await source.collection('module_things').find().limit(600).toArray();
    await db.collection('module_things').insertMany(things.map((thing, n) => (n < 10 ? { ...thing, n: -1 } : thing)));
    await db.collection('module_things').insertOne({ _id: 'removed since' as never });
    await db.collection('dropped_since').insertOne({ n: 1 });
    expect(await cli(`database copy --to ${uri}`)).toMatchObject({ code: 0, err: '' });
    expect(await contentsOf(db)).toEqual(await contentsOf(source));
  });

  it('copies changes made in the meantime', async () => {
    const { db, uri } = aTarget();
    let late: Promise<unknown> | undefined;
    const copy = new DatabaseCopy({ db: source } as Connection, test.config, test.clock);
    const things = source.collection('module_things');
    await copy.copyTo(databaseLocation.parse(uri)!, () => {
      late ??= Promise.all([things.insertOne({ n: -7 }), things.updateOne({ n: 3 }, { $set: { late: true } })]);
    });
    await late;
    expect(await contentsOf(db)).toEqual(await contentsOf(source));
  });

  it('refuses a database that is not empty, and does not change it', async () => {
    const { db, uri } = aTarget();
    await db.collection('others').insertOne({ _id: 'a' as never });
    expect(await cli(`database copy --to ${uri}`)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/not empty/),
    });
    expect(Object.keys(await contentsOf(db))).toEqual(['others']);
    expect(await cli(`database copy --to ${process.env.MONGODB_URI}`)).toMatchObject({ code: 1 });
  });

  it.each([
    ['mongodb://ann:PASSWORD@127.0.0.1:9/none', 1, /^The target does not answer\.$/m],
    ['mongodb://ann:PASS@WORD@127.0.0.1:9,,/none', 1, /^The target/m],
    ['mongodb+srv://ann:PASSWORD@nowhere.invalid/', 1, /^The target/m],
    ['postgres://ann:PASSWORD@127.0.0.1/', 2, /--to is mongodb/],
    ['embedded::memory:', 1, /keeps its data/],
  ])('reports what is wrong with a target, without a password: %s', async (to, code, err) => {
    const result = await cli(`database copy --to ${to}`);
    expect(result).toEqual({ code, out: '', err: expect.stringMatching(err) });
    expect(result.err).not.toMatch(/PASS|WORD/);
  });
});
