import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { mongo, Schema } from 'mongoose';
import { Migration } from '../../src/index.js';
import { MigrationRepository } from '../../src/platform/migrations/migration.repository.js';
import { cli } from '../support/cli.js';
import { createTestApp, onEachServer, type TestApp, TestClock } from '../support/index.js';

/** A module with migrations of these names, and a record of their runs. */
function aModule(...names: string[]) {
  const seen = { ran: [] as string[], fault: undefined as Error | undefined, held: Promise.resolve() };
  const providers = names.map((name) => {
    @Migration(name)
    @Injectable()
    class Provider {
      async up(): Promise<void> {
        seen.ran.push(name);
        await seen.held;
        if (seen.fault) throw seen.fault;
      }
    }
    return Provider;
  });
  @Module({ providers })
  class TestModule {}
  return { module: TestModule, seen };
}

onEachServer((server) => {
  let client: mongo.MongoClient;
  let db: mongo.Db;
  let uri: string;
  const apps: TestApp[] = [];
  beforeAll(async () => (client = await new mongo.MongoClient(server.uri).connect()));
  beforeEach(() => {
    const url = new URL(server.uri.replace(/^mongodb/, 'http'));
    url.pathname = `/migrations_${randomBytes(6).toString('hex')}`;
    uri = url.href.replace(/^http/, 'mongodb');
    process.env.MONGODB_URI = uri;
    db = client.db(url.pathname.slice(1));
  });
  afterEach(async () => {
    await Promise.all(apps.splice(0).map((app) => app.close()));
    await db.dropDatabase();
  });
  afterAll(() => client.close());

  async function start(modules: NonNullable<Parameters<typeof cli>[2]> = [], clock?: TestClock): Promise<TestApp> {
    const app = await createTestApp({ server, modules, clock, config: { database: { kind: 'mongodb', uri } } });
    apps.push(app);
    return app;
  }
  /** Waits until a waiting start has read the records again and handled them. */
  async function looked(): Promise<void> {
    const reads = jest.spyOn(MigrationRepository.prototype, 'read');
    while (reads.mock.calls.length < 2) await delay(20);
    reads.mockRestore();
  }
  const records = () => db.collection<{ _id: string }>('migrations');

  it('data of a newer format is refused in one sentence, by a start and by every command', async () => {
    await records().insertOne({ _id: '*', form: 999 } as never);
    const sentence = /^A newer release has written this database \(data form 999; .+\.$/;
    await expect(start()).rejects.toThrow(sentence);
    for (const command of ['migrate', 'project list']) {
      const { code, out, err } = await cli(command);
      expect([code, out]).toEqual([1, '']);
      expect(err.trimEnd()).toMatch(sentence);
    }
    expect(await db.listCollections().toArray()).toHaveLength(1);
  });

  it('migrations of modules run once, ordered by name', async () => {
    const { module, seen } = aModule('b-second', 'a-first');
    await start([module]);
    expect(seen.ran).toEqual(['a-first', 'b-second']);
    expect((await cli('migrate', '', [module])).out).toBe('nothing to migrate\n');
    expect(seen.ran).toEqual(['a-first', 'b-second']);
    const { module: later, seen: added } = aModule('a-later');
    expect((await cli('migrate', '', [module, later])).out).toBe('migrated a-later\n');
    expect(added.ran).toEqual(['a-later']);
    expect(await records().findOne({ _id: 'a-first' })).toEqual({
      _id: 'a-first',
      form: 1,
      finished_at: expect.any(Date),
    });
  });

  it('if several processes start together, one runs a migration, and the others wait for it', async () => {
    const { module, seen } = aModule('slow');
    let end = (): void => undefined;
    seen.held = new Promise((resolve) => (end = resolve));
    const started: number[] = [];
    const all = [1, 2].map((n) => start([module]).then(() => started.push(n)));
    while (seen.ran.length === 0) await delay(20);
    await delay(500);
    expect(started).toEqual([]);
    end();
    await Promise.all(all);
    expect(seen.ran).toEqual(['slow']);
  });

  it('an interrupted migration is run again by another process, once its lease has expired', async () => {
    const { module, seen } = aModule('half-done');
    await records().insertOne({ _id: '*', holder: 'a process that was killed', renewals: 2 } as never);
    const clock = new TestClock();
    let isReady = false;
    const starting = start([module], clock).then(() => (isReady = true));
    await looked();
    expect([isReady, seen.ran]).toEqual([false, []]);
    clock.advance(14_000);
    await looked();
    // Renewed: it is alive.
    await records().updateOne({ _id: '*' }, { $inc: { renewals: 1 } } as never);
    await looked();
    clock.advance(14_000);
    await looked();
    expect([isReady, seen.ran]).toEqual([false, []]);
    clock.advance(2000);
    await starting;
    expect(seen.ran).toEqual(['half-done']);
  });

  it('a process does not wait forever', async () => {
    await records().insertOne({ _id: '*', holder: 'a process that hangs', renewals: 0 } as never);
    const clock = new TestClock();
    const outcome = start([], clock).catch((error: unknown) => error);
    await looked();
    clock.advance(600_001);
    expect(await outcome).toMatchObject({ message: 'Another process is still migrating the data.' });
  });

  it('a failing migration stops the start without quoting its error, and runs again at the next', async () => {
    const { module, seen } = aModule('failing');
    seen.fault = new RangeError('the user said: hunter2');
    const { code, err } = await cli('migrate', '', [module]);
    expect(code).toBe(1);
    expect(err).toMatch(/^The migration 'failing' failed: RangeError\. .+\n$/);
    seen.fault = undefined;
    expect((await cli('migrate', '', [module])).out).toBe('migrated failing\n');
    expect(seen.ran).toEqual(['failing', 'failing']);
  });

  it.each<[string, string[], string]>([
    ['without a name', [''], 'needs a name'],
    ['with a duplicate name', ['twice', 'twice'], "Two providers are marked as the migration 'twice'."],
  ])('a migration %s is refused', async (_, names, sentence) => {
    await expect(start([aModule(...names).module])).rejects.toThrow(sentence);
  });

  it('an index that differs from its schema is named, with its collection', async () => {
    const notes = (unique: boolean) => {
      const schema = new Schema({ project_id: String, text: String }, { collection: 'notes' }).index(
        { project_id: 1 },
        { unique },
      );
      @Module({ imports: [MongooseModule.forFeature([{ name: 'Note', schema }])] })
      class NotesModule {}
      return NotesModule;
    };
    await cli('migrate', '', [notes(false)]);
    const sentence = /^Stored indexes of the collection notes differ from its schema: project_id_1\. Drop them, .+\.$/;
    await expect(start([notes(true)])).rejects.toThrow(sentence);
    const { code, err } = await cli('project list', '', [notes(true)]);
    expect([code, err.trimEnd()]).toEqual([1, expect.stringMatching(sentence)]);
  });
});
