import { setTimeout as delay } from 'node:timers/promises';
import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { CatalogueService, ChatService, type Owner } from '../../src/index.js';
import { Signals } from '../../src/events/index.js';
import { MessageArchive } from '../../src/messages/index.js';
import { FileService, FileUrls } from '../../src/files/index.js';
import { MessageRetention } from '../../src/messages/message.retention.js';
import {
  anOwner,
  anyServer,
  aProject,
  aRecording,
  aTurn,
  aUser,
  createTestApp,
  EventReader,
  onEachServer,
  startReceiver,
  type TestApp,
  TestClock,
} from '../support/index.js';

const ADMIN_KEY = 'k'.repeat(40);
const SECOND = 1000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const LAST_DATE = 8_640_000_000_000_000;
/** How a clock is wrong, or has been set. */
const SKEWS: [string, number][] = [
  ['an hour ahead', HOUR],
  ['an hour behind', -HOUR],
  ['half a minute ahead', 30 * SECOND],
  ['half a minute behind', -30 * SECOND],
];

const history = async (test: TestApp, { user_id, project_id }: Owner) =>
  test.call({ path: `/chat?user_id=${user_id}`, token: await test.token(user_id, project_id) });
const say = async (test: TestApp, owner: Owner, request: string, token?: string) =>
  test.call({
    method: 'POST',
    path: '/chat',
    token: token ?? (await test.token(owner.user_id, owner.project_id)),
    body: { avatar_id: 'ada', request },
  });

onEachServer((server) => {
  let right: TestApp;
  let wrong: TestApp;
  beforeAll(async () => {
    right = await createTestApp({ server, config: { adminKey: ADMIN_KEY } });
    const { database, jwtSecret } = right.config;
    wrong = await createTestApp({ server, clock: new TestClock(right.clock.now()), config: { database, jwtSecret } });
  });
  afterAll(async () => {
    await wrong.app.close();
    await right.close();
  });

  describe.each(SKEWS)('two processes, the clock of one %s', (_, skew) => {
    beforeAll(() => wrong.clock.set(skew));
    afterAll(() => wrong.clock.set(-skew));

    it('messages are in the order of their arrival, with valid dates', async () => {
      const owner = anOwner();
      const asked = [];
      for (let n = 0; n < 6; n++) {
        asked.unshift(`${n}`);
        expect((await say([right, wrong][n % 2]!, owner, String(n))).status).toBe(201);
      }
      for (const test of [right, wrong]) {
        const { body } = await history(test, owner);
        const outgoing = body.payload.filter(({ direction }: { direction: string }) => direction === 'outgoing');
        expect(outgoing.map(({ request }: { request: string }) => request)).toEqual(asked);
        const dates = body.payload.map(({ date }: { date: number }) => date);
        expect(dates).toEqual([...new Set<number>(dates)].sort((a, b) => b - a));
      }
    });

    it('a token of one is valid at the other within a minute, and otherwise one of the two refuses it', async () => {
      const { user_id } = anOwner();
      const path = `/chat?user_id=${user_id}`;
      const there = (await wrong.call({ path, token: await right.token(user_id) })).status;
      const back = (await right.call({ path, token: await wrong.token(user_id) })).status;
      expect(there).toBe(skew < -60 * SECOND ? 401 : 200);
      expect(back).toBe(skew > 60 * SECOND ? 401 : 200);
    });

    it('a session opened at one is valid at the other', async () => {
      const owner = anOwner();
      for (const [opens, takes] of [
        [right, wrong],
        [wrong, right],
      ] as const) {
        const { body } = await opens.call({ path: '/connection', token: await opens.token(owner.user_id) });
        const turn = await takes.call({
          method: 'POST',
          path: '/chat',
          token: await takes.token(owner.user_id),
          body: { avatar_id: 'ada', request: 'Hello', session: body.session },
        });
        expect(turn.status).toBe(201);
      }
    });

    it('a change of who answers at one is told at the other', async () => {
      for (const [tells, listens] of [
        [right, wrong],
        [wrong, right],
      ] as const) {
        const owner = anOwner();
        const told: unknown[] = [];
        const stop = listens.app
          .get(Signals)
          .subscribe(({ user_id, data }) => void (user_id === owner.user_id && told.push(data)));
        await delay(200); // it has looked what was there before
        await tells.app.get(Signals).send(owner, 'conversation', { state: 'waiting' }, undefined, 1);
        await delay(2100);
        stop();
        expect(told).toEqual([{ state: 'waiting' }]);
      }
    });

    it('a file stored at one can be read at the other', async () => {
      const owner = anOwner();
      const { file_id } = await wrong.app.get(FileService, { strict: false }).save(owner, [aRecording()]);
      const { pathname, search } = new URL(wrong.app.get(FileUrls, { strict: false }).sign(file_id));
      expect((await right.call({ path: pathname + search })).status).toBe(200);
    });

    it('retention in days removes what either has kept for that long', async () => {
      const owner = anOwner({ project_id: aProject() });
      const project = { project_id: owner.project_id, avatars: ['ada'], languages: ['en'] };
      await right.app
        .get(CatalogueService)
        .apply(JSON.stringify({ projects: [{ ...project, settings: { retentionDays: 2 } }] }));
      await right.app.get(ChatService).record(aTurn({ owner }));
      await wrong.app.get(ChatService).record(aTurn({ owner }));
      for (const test of [wrong, right]) await test.app.get(MessageRetention).sweep();
      const left = async () => (await right.app.get(ChatService).page(owner, { limit: 10 })).payload.length;
      expect(await left()).toBe(4);
      for (const test of [wrong, right]) test.clock.advance(2 * DAY + 2 * HOUR);
      await right.app.get(MessageRetention).sweep();
      expect(await left()).toBe(0);
      for (const test of [wrong, right]) test.clock.set(-2 * DAY - 2 * HOUR);
    });
  });

  it('an operator sees at once what a process stores whose clock is a few seconds behind', async () => {
    const { port, project_id } = { port: await right.listen(), project_id: anOwner().project_id };
    const headers = { authorization: `Bearer ${ADMIN_KEY}` };
    const reader = await EventReader.open(port, `/admin/events?project_id=${project_id}`, headers);
    wrong.clock.set(-4 * SECOND);
    await wrong.app.get(ChatService).say(anOwner(), { avatar_id: 'ada', answer: 'Your table is ready.' });
    wrong.clock.set(4 * SECOND);
    expect(await reader.until('message')).toMatchObject([{ answer: 'Your table is ready.' }]);
    reader.close();
  });

  describe('messages dated far ahead', () => {
    const imported = (owner: Owner, date: number, _id = `zz-${owner.user_id}`) => ({
      ...owner,
      _id,
      direction: 'outgoing' as const,
      request: 'from elsewhere',
      avatar_id: 'ada',
      date,
      chat_type: 'text' as const,
      language_code: 'en',
    });

    it.each([DAY, 1000 * DAY, LAST_DATE - Date.now()])('by %i ms are followed by valid ones', async (ahead) => {
      const owner = anOwner();
      const archive = right.app.get(MessageArchive);
      const date = right.clock.now() + ahead;
      await archive.add([imported(owner, date), imported(owner, date - 1, `zy-${owner.user_id}`)]);
      for (const request of ['one', 'two']) expect((await say(right, owner, request)).status).toBe(201);
      const { body } = await history(right, owner);
      const said = body.payload.map(({ request }: { request: string }) => request);
      expect(said.slice(0, 4)).toEqual(['two', 'two', 'one', 'one']);
      expect(said).toHaveLength(6);
      for (const message of body.payload) expect(new Date(message.date).getTime()).toBe(message.date);
    });

    it('are removed by retention, counted from when they were first seen', async () => {
      const owner = anOwner({ project_id: aProject() });
      const project = { project_id: owner.project_id, avatars: ['ada'], languages: ['en'] };
      await right.app
        .get(CatalogueService)
        .apply(JSON.stringify({ projects: [{ ...project, settings: { retentionDays: 30 } }] }));
      await right.app.get(MessageArchive).add([imported(owner, right.clock.now() + 5000 * DAY)]);
      await right.app.get(ChatService).record(aTurn({ owner }));
      const sweep = () => right.app.get(MessageRetention).sweep();
      expect(await sweep()).toBe(0);
      right.clock.advance(29 * DAY);
      expect(await sweep()).toBe(0);
      right.clock.advance(2 * DAY);
      expect(await sweep()).toBe(3);
    });
  });
});

describe('one process', () => {
  let test: TestApp;
  beforeAll(async () => {
    const rateLimits = { enabled: true, jwt: 300, turns: 5, openTurns: 300, reads: 10 };
    test = await createTestApp({ server: anyServer(), config: { rateLimits } });
  });
  afterAll(() => test.close());
  afterEach(() => jest.restoreAllMocks());

  /** Adds a project with a webhook receiver for its messages. */
  const announceTo = async ({ url }: { url: string }, project_id: string) => {
    const webhooks = [{ name: 'crm', url, events: ['message.created'] }];
    const project = { project_id, avatars: ['ada'], languages: ['en'], webhooks };
    await test.app.get(CatalogueService).apply(JSON.stringify({ projects: [project] }));
  };

  describe.each(SKEWS)('whose clock was %s and is corrected', (_, skew) => {
    beforeEach(() => test.clock.set(skew));

    it('blocks nobody for longer than a window, and keeps counting', async () => {
      const owner = anOwner();
      const statuses = async (times: number) => {
        const token = await test.token(owner.user_id);
        const seen = [];
        for (let n = 0; n < times; n++) seen.push(await test.call({ path: `/chat?user_id=${owner.user_id}`, token }));
        return seen;
      };
      // More than two windows take: another one may begin meanwhile.
      expect((await statuses(21)).map(({ status }) => status)).toContain(429);
      test.clock.set(-skew);
      const after = await statuses(21);
      if (Math.abs(skew) === HOUR) expect(after[0]!.status).toBe(200);
      const refused = after.find(({ status }) => status === 429)!;
      expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
    });

    it('keeps messages in order, and a webhook gets each of them', async () => {
      const receiver = await startReceiver();
      const owner = anOwner({ project_id: aProject() });
      const { project_id } = owner;
      await announceTo(receiver, project_id);
      try {
        // The first is stored, and the process that did so fails after it.
        const outbox = test.app.get<Connection>(getConnectionToken()).collection('outbox');
        await test.app.get(ChatService).record(aTurn({ owner, request: 'first' }));
        await outbox.updateMany({ project_id, attempts: 0 }, { $set: { due: test.clock.now() } });
        test.clock.set(-skew);
        await test.app.get(ChatService).record(aTurn({ owner, request: 'second' }));
        while (new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size < 4) {
          test.clock.advance(SECOND);
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
        const { body } = await history(test, owner);
        expect(body.payload.map(({ request }: { request: string }) => request)).toEqual([
          'second',
          'second',
          'first',
          'first',
        ]);
      } finally {
        await receiver.close();
      }
    });

    it('does not delay webhooks that had failed, or that a crashed process was trying', async () => {
      const receiver = await startReceiver();
      receiver.answer = (response) => void response.writeHead(500).end();
      const owner = anOwner({ project_id: aProject() });
      const { project_id } = owner;
      await announceTo(receiver, project_id);
      try {
        const outbox = test.app.get<Connection>(getConnectionToken()).collection<{ _id: string }>('outbox');
        await test.app.get(ChatService).record(aTurn({ owner }));
        const failed = { project_id, last: { $exists: true }, lease: { $exists: false } };
        await receiver.until(async () => (await outbox.countDocuments(failed)) === 2);
        const [{ _id }] = (await outbox.find({ project_id }).toArray()) as [{ _id: string }];
        const lease = { lease: 'of another', due: test.clock.now() + 60 * SECOND };
        await outbox.updateOne({ _id }, { $set: lease, $unset: { last: 1 } });
        receiver.answer = (response) => void response.writeHead(204).end();
        test.clock.set(-skew);
        let seconds = 0;
        while ((await outbox.countDocuments({ project_id, state: 'delivered' })) < 2) {
          expect(seconds).toBeLessThan(600);
          seconds += 5;
          test.clock.advance(5 * SECOND);
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      } finally {
        await receiver.close();
      }
    });
  });

  it('removes counts of future windows at startup, but none of uploaded bytes', async () => {
    const counts = test.app.get<Connection>(getConnectionToken()).collection('rate_limits');
    const now = test.clock.now();
    const user = aUser();
    const count = (_id: string, ahead: number) => ({ _id, hits: 1, expires_at: new Date(now + ahead) });
    const [upload, present, future] = [
      `uploads default/${user} 1`,
      `reads default/${user} 1`,
      `reads default/${user} 2`,
    ];
    await counts.insertMany([count(upload, 2 * HOUR), count(present, 60 * SECOND), count(future, HOUR)] as never);
    const { database } = test.config;
    const other = await createTestApp({ server: anyServer(), clock: new TestClock(now), config: { database } });
    const left = await counts.find({ _id: { $in: [upload, present, future] } as never }).toArray();
    expect(left.map(({ _id }) => String(_id)).sort()).toEqual([present, upload]);
    await other.app.close();
  });

  it.each([
    ['forward by three seconds', 3 * SECOND],
    ['forward by an hour', HOUR],
    ['back by an hour', -HOUR],
  ])('whose machine has its clock set %s refuses no request', async (_, jump) => {
    const owner = anOwner();
    const token = await test.token(owner.user_id);
    const { now } = Date;
    jest.spyOn(Date, 'now').mockImplementation(() => now() + jump);
    for (const path of ['/health/ready', `/chat?user_id=${owner.user_id}`, '/connection'])
      expect({ path, status: (await test.call({ path, token })).status }).toEqual({ path, status: 200 });
    expect((await say(test, owner, 'Hello', token)).status).toBe(201);
  });
});
