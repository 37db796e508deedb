import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mongo } from 'mongoose';
import { run, startDatabase } from '../support/index.js';

/** A proxy to the database that blocks everything once an update of this collection comes. */
async function aWayThatEndsAt(collection: string, port: number): Promise<{ way: Server; reached: Promise<void> }> {
  let reach = (): void => undefined;
  const reached = new Promise<void>((resolve) => (reach = resolve));
  // In BSON, the length of a text precedes it.
  const update = Buffer.concat([
    Buffer.from('\x02update\0'),
    Buffer.from([collection.length + 1, 0, 0, 0]),
    Buffer.from(`${collection}\0`),
  ]);
  const way = createServer((client) => {
    const onward = connect(port, '127.0.0.1');
    onward.on('error', () => client.destroy()).pipe(client);
    client.on('error', () => onward.destroy());
    client.on('close', () => onward.destroy());
    client.on('data', (chunk) => {
      if (!chunk.includes(update)) return void onward.write(chunk);
      client.pause();
      reach();
    });
  });
  way.listen(0, '127.0.0.1');
  await once(way, 'listening');
  return { way, reached };
}

describe('catalogue apply, killed', () => {
  let dir: string;
  let database: Awaited<ReturnType<typeof startDatabase>>;
  let client: mongo.MongoClient;
  const env = (port: string | number) => ({
    DATA_DIR: dir,
    JWT_SECRET: 'x'.repeat(32),
    MONGODB_URI: `mongodb://127.0.0.1:${port}/avatar_chat`,
  });
  const cli = async (...args: string[]) => {
    const program = run('dist/programs/cli.js', args, env(new URL(database.uri).port));
    expect([await program.ended, program.output.err]).toEqual([0, '']);
    return program.output.out;
  };
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'avatar-chat-catalogue-'));
    database = await startDatabase(':memory:', 0);
    client = await new mongo.MongoClient(database.uri).connect();
    await cli('migrate');
  });
  afterAll(async () => {
    await client.close();
    await database.stop('SIGKILL');
    await rm(dir, { recursive: true, force: true });
  });

  it.each(['languages', 'projects'])('before it changes %s, is completed', async (collection) => {
    const catalogue = JSON.parse(readFileSync('catalogue/default.json', 'utf8'));
    const name = `Changed before ${collection}`;
    for (const one of [...catalogue.avatars, ...catalogue.languages]) one.name = name;
    catalogue.projects.push({ project_id: collection, avatars: [], languages: [] });
    const file = join(dir, 'catalogue.json');
    await writeFile(file, JSON.stringify(catalogue));

    const { way, reached } = await aWayThatEndsAt(collection, Number(new URL(database.uri).port));
    const applying = run(
      'dist/programs/cli.js',
      ['catalogue', 'apply', file],
      env((way.address() as AddressInfo).port),
    );
    await Promise.race([reached, applying.ended.then(() => Promise.reject(new Error(applying.output.err)))]);
    await applying.stop('SIGKILL');
    way.close();
    const db = client.db('avatar_chat');
    expect(await db.collection('catalogue_journal').countDocuments()).toBe(1);
    expect(await db.collection('avatars').distinct('name')).toEqual([name]);
    if (collection === 'languages') expect(await db.collection('languages').countDocuments({ name })).toBe(0);

    const { avatars, languages, projects } = JSON.parse(await cli('catalogue', 'export'));
    expect(new Set([...avatars, ...languages].map((one) => one.name))).toEqual(new Set([name]));
    expect(projects.map(({ project_id }: { project_id: string }) => project_id)).toContain(collection);
    expect(await db.collection('catalogue_journal').countDocuments()).toBe(0);
  });
});
