import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { mongo, Schema } from 'mongoose';
import { Migration } from '../../src/index.js';
import { MigrationRepository } from '../../src/platform/migrations/migration.repository.js';
import { cli } from '../support/cli.js';
import { createTestApp, onEachServer, type TestApp, TestClock } from '../support/index.js';

const OWN = ['0001-project-epochs', '0002-message-fields', '0003-outbox-lease'];

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
  const finished = async () =>
    (
      await records()
        .find({ _id: { $ne: '*' } })
        .sort({ _id: 1 })
        .toArray()
    ).map(({ _id }) => _id);

  describe('data of the old format', () => {
    const owner = { project_id: 'default', user_id: 'ann' };
    const message = { ...owner, avatar_id: 'ada', chat_type: 'text', language_code: 'en', request: 'Hello' };
    beforeEach(async () => {
      const { avatars, languages, projects } = JSON.parse(readFileSync('catalogue/default.json', 'utf8'));
      const insert = (name: string, ...documents: object[]) => db.collection(name).insertMany(documents);
      await insert('avatars', ...avatars);
      await insert('languages', ...languages.map(({ language_code: _id, ...rest }: any) => ({ _id, ...rest })));
      for (const { project_id: _id, ...project } of projects)
        await insert('projects', { _id, token_policy: 'open', key: 'k', settings: {}, ...project });
      await insert(
        'messages',
        { ...message, _id: 'm1', direction: 'outgoing', date: 1, follows: '', idempotency_key: 'k', asking_until: 7 },
        { ...message, _id: 'm2', direction: 'outgoing', date: 2, follows: 'm1', unannounced: 9 },
      );
      await db.collection('messages').createIndex({ unannounced: 1 }, { sparse: true });
      const delivery = { ...owner, event_id: 'e', type: 'message.created', webhook: 'crm', date: 1, data: {} };
      await insert('outbox', {
        ...delivery,
        _id: 'e.crm' as never,
        state: 'pending',
        attempts: 1,
        due: 2,
        claim: 'c',
        expires_at: new Date('2100-01-01'),
      });
    });

    it('is migrated by a start, and served', async () => {
      const app = await start();
      const messages = await db.collection('messages').find().sort({ date: 1 }).toArray();
      expect(messages[0]).toEqual({
        ...message,
        _id: 'm1',
        direction: 'outgoing',
        date: 1,
        follows: '',
        idempotency_key: 'k',
        lease_until: 7,
      });
      expect(messages[1]).toMatchObject({ _id: 'm2', unpublished_since: 9 });
      expect(messages[1]).not.toHaveProperty('unannounced');
      expect(await db.collection('messages').indexExists('unpublished_since_1')).toBe(true);
      expect(await db.collection('messages').indexExists('unannounced_1')).toBe(false);
      const [entry] = await db.collection('outbox').find().toArray();
      expect(entry).toMatchObject({ lease: 'c', due: 2 });
      expect(entry).not.toHaveProperty('claim');
      const token = await app.token('ann');
      expect(JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()).epoch).toMatch(/^[\w-]{12}$/);
      const { body } = await app.call({ path: '/chat?user_id=ann', token });
      expect(body.payload.map(({ _id }: { _id: string }) => _id)).toEqual(['m2', 'm1']);
      expect(await finished()).toEqual(OWN);
    });

    it('is migrated by a command', async () => {
      expect(await cli('migrate')).toEqual({ code: 0, out: OWN.map((name) => `migrated ${name}\n`).join(''), err: '' });
      expect(await cli('migrate')).toEqual({ code: 0, out: 'nothing to migrate\n', err: '' });
      expect(await db.collection('messages').countDocuments({ lease_until: 7 })).toBe(1);
    });
  });

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

  it('migrations of modules run once, ordered by name, after those of the service', async () => {
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
    // Renewed: it is alive.
    await records().updateOne({ _id: '*' }, { $inc: { renewals: 1 } } as never);
    clock.advance(14_000);
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
