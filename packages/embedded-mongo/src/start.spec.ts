import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import mongoose, { mongo } from 'mongoose';
import { EmbeddedMongo, EmbeddedMongoOptions, createEmbeddedMongo } from './index.js';

describe('createEmbeddedMongo', () => {
  let directory: string;
  let running: EmbeddedMongo[] = [];
  const start = async (options: EmbeddedMongoOptions) => {
    const server = await createEmbeddedMongo(options);
    running.push(server);
    return server;
  };
  const connect = (uri: string) => new mongo.MongoClient(uri).connect();

  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'embedded-'))));
  afterEach(async () => {
    for (const server of running) await server.close();
    running = [];
    rmSync(directory, { recursive: true });
  });

  it('keeps its data across a restart', async () => {
    const first = await start({ path: directory });
    let client = await connect(first.uri);
    await client.db('test').collection<{ _id: string }>('things').insertOne({ _id: 'a' });
    await client.close();
    await first.close();
    client = await connect((await start({ path: directory })).uri);
    expect(await client.db('test').collection('things').find().toArray()).toEqual([{ _id: 'a' }]);
    await client.close();
  });

  it('listens on a socket that only its owner can reach', async () => {
    const { uri } = await start({ path: directory });
    const socket = decodeURIComponent(new URL(uri).host);
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(socket)).mode & 0o777).toBe(0o700);
  });

  it('listens on a port when asked to, and keeps nothing in memory', async () => {
    const { uri } = await start({ path: ':memory:', port: 0 });
    expect(uri).toMatch(/^mongodb:\/\/127\.0\.0\.1:\d+\/\?directConnection=true$/);
    const connection = await mongoose.createConnection(uri, { dbName: 'test' }).asPromise();
    expect(await connection.db!.command({ ping: 1 })).toEqual({ ok: 1 });
    await connection.close();
  });

  it('fails if the address is in use, and releases the files', async () => {
    const { uri } = await start({ path: ':memory:', port: 0 });
    const port = Number(new URL(uri).port);
    await expect(start({ path: directory, port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await start({ path: directory });
  });

  it('listens on an IPv6 address', async () => {
    const { uri } = await start({ path: ':memory:', port: 0, host: '::1' });
    expect(uri).toMatch(/^mongodb:\/\/\[::1\]:\d+\//);
    const client = await connect(uri);
    expect(await client.db('test').command({ ping: 1 })).toEqual({ ok: 1 });
    await client.close();
  });

  it('removes the sockets of dead processes, and no others', async () => {
    const sockets = join(directory, 'sockets');
    mkdirSync(sockets);
    const listen = `const path = process.argv[1] + '/server-' + process.pid + '-abc.sock';
      require('node:net').createServer().listen(path, () => process.kill(process.pid, 'SIGKILL'));`;
    const gone = spawnSync(process.execPath, ['-e', listen, sockets]).pid;
    const [dead, alive, other] = [`server-${gone}-abc.sock`, `server-${process.pid}-abc.sock`, 'notes.txt'];
    expect(readdirSync(sockets)).toEqual([dead]);
    for (const name of [alive, other]) writeFileSync(join(sockets, name), '');
    // As that of a process in another container, whose pid is unknown here.
    const foreign = `server-${gone}-def.sock`;
    const server = createServer().unref();
    await new Promise<void>((resolve) => server.listen(join(sockets, foreign), resolve));
    await start({ path: directory });
    expect(readdirSync(sockets)).toEqual(expect.arrayContaining([alive, other, foreign]));
    expect(readdirSync(sockets)).not.toContain(dead);
    server.close();
  });

  it('lets two servers share a directory', async () => {
    const [one, other] = [await start({ path: directory }), await start({ path: directory })];
    const [a, b] = [await connect(one.uri), await connect(other.uri)];
    for (let i = 0; i < 20; i++) {
      await a.db('test').collection('things').insertOne({ i });
      expect(await b.db('test').collection('things').countDocuments({ i })).toBe(1);
    }
    await b.db('test').collection('things').createIndex({ i: 1 }, { unique: true });
    await expect(a.db('test').collection('things').insertOne({ i: 3 })).rejects.toMatchObject({
      code: 11000,
      keyValue: { i: 3 },
    });
    await Promise.all([a.close(), b.close()]);
  });
});
