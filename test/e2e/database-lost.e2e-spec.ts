import { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { pino } from 'pino';
import { ErasureService } from '../../src/erasure/index.js';
import { MessageArchive } from '../../src/messages/index.js';
import { MessageRecorder } from '../../src/messages/message.recorder.js';
import { MessageRetention } from '../../src/messages/message.retention.js';
import {
  Database,
  DatabaseTimeouts,
  DatabaseUnavailableError,
  isDatabaseUnavailable,
} from '../../src/platform/database/index.js';
import { type EmbeddedMongo, createEmbeddedMongo } from 'avatar-chat-embedded-mongo';
import { AuthService, CatalogueModule, CatalogueService, ChatService, Owner } from '../../src/index.js';
import { createTestApp } from '../../src/testing/index.js';
import { PUPPET, PuppetModule } from '../support/engines.js';
import { LiveClient } from '../support/live-client.js';
import { anOwner, aProject, aTurn, type TestApp } from '../support/index.js';

/** The service with its own store, which the test can end, and its log. */
async function start(): Promise<{ test: TestApp; store: EmbeddedMongo; logged: any[] }> {
  const store = await createEmbeddedMongo({ path: ':memory:', port: 0 });
  const logged: any[] = [];
  const log = new Writable({
    write(line, _encoding, done) {
      logged.push(JSON.parse(String(line)));
      done();
    },
  });
  const test = await createTestApp({
    config: { database: { kind: 'mongodb', uri: store.uri } },
    modules: [PuppetModule],
    logger: pino({ level: 'warn' }, log),
  });
  return { test, store, logged };
}

const aProjectWith = async (test: TestApp, settings: object) => {
  const project_id = aProject();
  const project = { project_id, avatars: ['puppet'], languages: ['en'], settings };
  await test.app.get(CatalogueService).apply(JSON.stringify({ avatars: [PUPPET], projects: [project] }));
  return project_id;
};

describe('when its store ends, the service', () => {
  let started: Awaited<ReturnType<typeof start>>;
  beforeEach(async () => (started = await start()));
  afterEach(async () => {
    await started.store.close();
    await started.test.close();
  });

  it('responds with 503 for unknown projects, and continues with known ones', async () => {
    const { test, store, logged } = started;
    await store.close();
    expect(
      await test.call({ method: 'POST', path: '/jwt', body: { user_id: 'ann', project_id: 'new' } }),
    ).toMatchObject({ status: 500, body: { error: 'token_generation_failed' } });
    expect(logged.at(-1)).toMatchObject({ cause: { error: expect.stringMatching(/^(Mongo|DatabaseUnavailable)/) } });
    expect((await test.call({ method: 'POST', path: '/jwt', body: { user_id: 'ann' } })).status).toBe(200);
  });

  it('opens no live session', async () => {
    const { test, store } = started;
    const port = await test.listen();
    const token = await test.token('ann');
    await store.close();
    for (const query of ['model=ada', 'model=ada&resume=sess_lost'])
      await expect(LiveClient.open(port, query, token)).rejects.toThrow('503');
  });

  it('aborts a turn in progress with 503', async () => {
    const { test, store } = started;
    const project_id = await aProjectWith(test, {});
    const token = await test.token('ann', project_id);
    const body = { avatar_id: 'puppet', request: 'count 10' };
    const headers = { 'idempotency-key': 'k' };
    const saying = test.call({ method: 'POST', path: '/chat', token, body, headers });
    const messages = test.app.get<Connection>(getConnectionToken()).collection('messages');
    const end = Date.now() + 5000;
    while ((await messages.countDocuments({ project_id, user_id: 'ann' })) === 0)
      if (Date.now() > end) throw new Error('Nothing was stored');
    await store.close();
    expect(await saying).toMatchObject({ status: 503, body: { error: 'service_unavailable' } });
  });

  it('sweeps later, and logs nothing about it', async () => {
    const { test, store, logged } = started;
    await store.close();
    const failed = await test.app
      .get(MessageRetention)
      .sweep()
      .catch((error: unknown) => error);
    expect(isDatabaseUnavailable(failed)).toBe(true);
    expect(logged.filter(({ level }) => level >= 50)).toEqual([]);
  });

  it('cannot check a catalogue file', async () => {
    const { test, store } = started;
    await store.close();
    const error = await test.app
      .get(CatalogueService)
      .check('{}')
      .catch((thrown: unknown) => thrown);
    expect(isDatabaseUnavailable(error)).toBe(true);
  });

  it('erases nothing', async () => {
    const { test, store } = started;
    await store.close();
    const error = await test.app
      .get(ErasureService, { strict: false })
      .eraseUser(anOwner())
      .catch((thrown: unknown) => thrown);
    expect(isDatabaseUnavailable(error)).toBe(true);
  });
});

it('is not used by requests before it is prepared', async () => {
  let prepare = () => {};
  const migrated = new Promise<void>((resolve) => (prepare = resolve));
  @Module({})
  class SlowModule {
    constructor(database: Database) {
      database.onConnected(() => migrated);
    }
  }
  const overrides = [
    { provide: DatabaseTimeouts, useValue: { ...new DatabaseTimeouts(), start: 200, preparation: 500 } },
  ];
  const test = await createTestApp({ modules: [SlowModule], overrides });
  try {
    const jwt = () => test.call({ method: 'POST', path: '/jwt', body: { user_id: 'ann' } });
    expect(await jwt()).toMatchObject({ status: 500, body: { error: 'token_generation_failed' } });
    const token = test.app.get(AuthService).sign(new Owner('default', 'ann'));
    const body = { avatar_id: 'ada', request: 'Hello' };
    const turn = () => test.call({ method: 'POST', path: '/chat', token, body });
    expect(await turn()).toMatchObject({ status: 503, body: { error: 'service_unavailable' } });
    // It may belong to a project's identity provider.
    const foreign = new JwtService({ secret: 'x'.repeat(32) }).sign({ iss: 'https://id.test', sub: 'ann' });
    const connect = () => test.call({ path: '/connection', token: foreign });
    expect(await connect()).toMatchObject({ status: 503, body: { error: 'service_unavailable' } });
    expect(await test.call({ path: '/health/ready' })).toMatchObject({ status: 503 });
    prepare();
    while ((await test.call({ path: '/health/ready' })).status !== 200) await delay(20);
    expect(await jwt()).toMatchObject({ status: 200 });
    expect(await connect()).toMatchObject({ status: 401, body: { error: 'invalid_token' } });
    expect(await turn()).toMatchObject({ status: 201 });
    expect((await test.call({ path: '/chat?user_id=ann', token })).body.payload).toHaveLength(2);
  } finally {
    prepare();
    await test.close();
  }
});

it('is prepared again if it goes away when the catalogue has been loaded', async () => {
  let times = 0;
  @Module({ imports: [CatalogueModule] })
  class LaterModule {
    constructor(database: Database, _before: CatalogueService) {
      database.onReady(async () => {
        if (++times === 1) throw new DatabaseUnavailableError();
      });
    }
  }
  const test = await createTestApp({ modules: [LaterModule] });
  try {
    expect(times).toBe(2);
    expect(await test.call({ path: '/health/ready' })).toMatchObject({ status: 200 });
    const token = await test.token('ann');
    expect(await test.call({ path: '/connection', token })).toMatchObject({ status: 200 });
  } finally {
    await test.close();
  }
});

describe('an error of the store', () => {
  let started: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => (started = await start()));
  afterAll(async () => {
    await started.test.close();
    await started.store.close();
  });

  it('fails an import', async () => {
    const message = {
      _id: 'large',
      project_id: 'default',
      user_id: 'ann',
      direction: 'outgoing',
      request: 'x'.repeat(16 * 1024 * 1024),
      avatar_id: 'ada',
      date: 1,
      chat_type: 'text',
      language_code: 'en',
    } as const;
    const archive = started.test.app.get(MessageArchive);
    await expect(archive.add([message])).rejects.toThrow(/larger than/);
    expect(await archive.check([message])).toEqual(['new']);
  });

  it('in a message is passed on', async () => {
    const chat = started.test.app.get(ChatService);
    const request = 'x'.repeat(16 * 1024 * 1024);
    await expect(chat.record(aTurn({ request }))).rejects.toThrow(/larger than/);
  });
});

describe('the retention sweep', () => {
  let started: Awaited<ReturnType<typeof start>>;
  beforeEach(async () => (started = await start()));
  afterEach(async () => {
    await started.test.close();
    await started.store.close();
  });

  it('ends with the service', async () => {
    const { test } = started;
    const owner = anOwner({ project_id: await aProjectWith(test, { retentionDays: 1 }) });
    await test.app.get(ChatService).record(aTurn({ owner }));
    test.clock.advance(3 * 86_400_000);
    expect(await test.app.get(MessageRetention).sweep(() => false)).toBe(0);
    expect((await test.app.get(ChatService).page(owner, { limit: 9 })).payload).toHaveLength(2);
  });

  it('the outbox gets undefined for a message that is gone', async () => {
    const recorder = started.test.app.get(MessageRecorder);
    expect(await recorder.find('default', 'ann', 'none')).toBeUndefined();
  });
});
