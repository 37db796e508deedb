import { randomBytes } from 'node:crypto';
import { Injectable, Module } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { Webhook } from 'standardwebhooks';
import { CatalogueService, ChatService, OnEvent, Owner, type ServiceEvent } from '../../src/index.js';
import { AdminService } from '../../src/admin/index.js';
import { DatabaseUnavailableError } from '../../src/platform/database/index.js';
import { Events } from '../../src/events/index.js';
import { OutboxRepository } from '../../src/webhooks/outbox.repository.js';
import type { OutboxEntry } from '../../src/webhooks/outbox.schema.js';
import { type Delivery, WebhooksService } from '../../src/webhooks/index.js';
import {
  anOwner,
  aProject,
  aTurn,
  aUser,
  createTestApp,
  onEachServer,
  startReceiver,
  type Receiver,
  type TestApp,
} from '../support/index.js';
import { PuppetModule } from '../support/engines.js';

const MINUTE = 60_000;

/** A receiver that records what tests wait for. */
@Injectable()
class EventRecorder {
  readonly heard: ServiceEvent[] = [];
  fails = false;

  @OnEvent('message.created')
  message(event: ServiceEvent<'message.created'>): void {
    this.heard.push(event);
    if (this.fails) throw new Error(`said: ${event.data.request}`);
  }
  @OnEvent('session.started')
  async session(event: ServiceEvent<'session.started'>): Promise<void> {
    this.heard.push(event);
  }
  @OnEvent('turn.failed')
  failure(event: ServiceEvent<'turn.failed'>): void {
    this.heard.push(event);
  }
  @OnEvent('user.erased')
  erasure(event: ServiceEvent<'user.erased'>): void {
    this.heard.push(event);
  }
}
@Module({ providers: [EventRecorder] })
class EarsModule {}

onEachServer((server) => {
  let test: TestApp;
  let receiver: Receiver;
  beforeAll(async () => {
    test = await createTestApp({
      server,
      modules: [EarsModule, PuppetModule],
      config: { webhookTimeoutSeconds: 5 },
    });
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => test.close());
  beforeEach(async () => (receiver = await startReceiver()));
  afterEach(() => receiver.close());

  /** A project with a webhook to the receiver. Its avatar `puppet` does what it is told. */
  async function aProjectTold(webhook: object = {}, project_id = aProject()): Promise<string> {
    const catalogue = test.app.get(CatalogueService);
    const { avatars } = JSON.parse(await catalogue.export());
    const puppet = { ...avatars[0], _id: 'puppet', name: 'Puppet', engine: { kind: 'puppet' } };
    const webhooks = [{ name: 'crm', url: receiver.url, ...webhook }];
    const project = { project_id, avatars: ['puppet', 'ada'], languages: ['en'], webhooks };
    await catalogue.apply(JSON.stringify({ avatars: [puppet], projects: [project] }));
    return project_id;
  }
  const say = async (project_id: string, request: string, user_id = aUser()) => {
    const token = await test.token(user_id, project_id);
    return test.call({ method: 'POST', path: '/chat', token, body: { avatar_id: 'puppet', request } });
  };
  const record = (project_id: string, user_id = aUser()) =>
    test.app.get(ChatService).record(aTurn({ owner: new Owner(project_id, user_id) }));
  const webhooks = () => test.app.get(WebhooksService, { strict: false });
  const log = async (project_id: string): Promise<Delivery[]> => {
    const deliveries = [];
    for await (const delivery of webhooks().log(project_id)) deliveries.push(delivery);
    return deliveries;
  };
  const states = async (project_id: string) => (await log(project_id)).map(({ state }) => state);
  const collection = (name: string) => test.app.get<Connection>(getConnectionToken()).collection(name);

  describe('webhooks', () => {
    it('are sent for each event once, signed as in the standard', async () => {
      const project_id = await aProjectTold();
      const user_id = aUser();
      const token = await test.token(user_id, project_id);
      const { session } = (await test.call({ path: '/connection', token })).body;
      const body = { avatar_id: 'puppet', request: 'Hello?', session };
      const { outgoing, incoming } = (await test.call({ method: 'POST', path: '/chat', token, body })).body;
      expect((await say(project_id, 'fail', user_id)).status).toBe(502);
      await receiver.until(() => receiver.received.length === 5);
      const failed = receiver.received.find(({ event }) => event.type === 'turn.failed')!;
      const told = (type: string) =>
        receiver.received.filter(({ event }) => event.type === type).map(({ event }) => event.data);
      expect(told('session.started')).toEqual([{ project_id, user_id, session }]);
      expect(told('message.created')).toEqual(
        expect.arrayContaining([
          { project_id, session, ...outgoing },
          { project_id, session, ...incoming },
          expect.objectContaining({ request: 'fail', direction: 'outgoing', _id: failed.event.data.message_id }),
        ]),
      );
      expect(failed.event.data).toEqual({
        project_id,
        user_id,
        message_id: expect.stringMatching(/^[0-9a-f]{24}$/),
        avatar_id: 'puppet',
        chat_type: 'text',
        language_code: 'en',
        error: 'engine_failed',
      });
      const project = (await test.app.get(CatalogueService).findProject(project_id))!;
      const secret = webhooks().withSecrets(project)[0]!.secret!;
      for (const { headers, body, event } of receiver.received) {
        expect(new Webhook(secret).verify(body, headers)).toEqual(event);
        expect(headers['content-type']).toBe('application/json');
        expect(Object.keys(event)).toEqual(['type', 'timestamp', 'data']);
        expect(Math.abs(Date.parse(event.timestamp) - test.clock.now())).toBeLessThan(MINUTE);
      }
      expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(5);
      await receiver.until(async () => (await states(project_id)).every((state) => state === 'delivered'));
    });

    it('leave no message text in the outbox, and no mark on published messages', async () => {
      const project_id = await aProjectTold();
      receiver.answer = (response) => void response.writeHead(500).end();
      const owner = anOwner({ project_id });
      await test.app.get(ChatService).record(aTurn({ owner, request: 'a secret word' }));
      const marked = { project_id, user_id: owner.user_id, unpublished_since: { $exists: true } };
      await receiver.until(async () => (await collection('messages').countDocuments(marked)) === 0);
      expect(await collection('outbox').countDocuments({ project_id })).toBe(2);
      const entries = await collection('outbox').find({ project_id }).toArray();
      expect(JSON.stringify(entries)).not.toContain('secret word');
    });

    it('are only sent to subscribers, and cost nothing without any', async () => {
      const project_id = await aProjectTold({ events: ['user.erased'] });
      const [silent, user_id] = [await aProjectTold({}), aUser()];
      await test.app
        .get(CatalogueService)
        .apply(JSON.stringify({ projects: [{ project_id: silent, avatars: ['ada'], languages: ['en'] }] }));
      for (const project of [project_id, silent]) {
        await record(project, user_id);
        const marked = { project_id: project, user_id, unpublished_since: { $exists: true } };
        expect(await collection('messages').countDocuments(marked)).toBe(0);
      }
      const erased = await test.app.get(AdminService, { strict: false }).eraseUser(new Owner(project_id, user_id));
      expect(erased).toEqual({ messages: 2, sessions: 0 });
      await receiver.until(() => receiver.received.length > 0);
      expect(receiver.received.map(({ event }) => event)).toEqual([
        { type: 'user.erased', timestamp: expect.any(String), data: { project_id, user_id, ...erased } },
      ]);
      expect(await log(silent)).toEqual([]);
    });

    it('do not mention a user who was erased in the meantime, except for the erasure', async () => {
      const project_id = await aProjectTold();
      const user_id = aUser();
      receiver.answer = (response) => void response.writeHead(503).end();
      await record(project_id, user_id);
      await receiver.until(() => receiver.received.length === 2);
      receiver.answer = (response) => void response.writeHead(200).end();
      await test.app.get(AdminService, { strict: false }).eraseUser(new Owner(project_id, user_id));
      test.clock.advance(10 * MINUTE);
      await receiver.until(() => receiver.received.some(({ event }) => event.type === 'user.erased'));
      await receiver.until(async () => (await states(project_id)).length === 0);
      // Possibly more than once: the clock has passed the duration of a lease.
      expect(new Set(receiver.received.slice(2).map(({ event }) => event.type))).toEqual(new Set(['user.erased']));
    });

    it('of a turn that fails while its user is erased are withdrawn', async () => {
      const project_id = await aProjectTold({ events: ['turn.failed'] });
      const [user_id, other] = [aUser(), aUser()];
      const events = test.app.get(Events, { strict: false });
      const publish = events.publish.bind(events) as (...given: unknown[]) => Promise<string | undefined>;
      jest.spyOn(events, 'publish').mockImplementationOnce(async (...given) => {
        await test.app.get(AdminService, { strict: false }).eraseUser(new Owner(project_id, user_id));
        return publish(...given);
      });
      const acquire = jest.spyOn(test.app.get(OutboxRepository, { strict: false }), 'acquire').mockResolvedValue(null);
      expect(await say(project_id, 'fail', user_id)).toMatchObject({ status: 502, body: { error: 'engine_failed' } });
      expect(await log(project_id)).toEqual([]);
      acquire.mockRestore();
      await say(project_id, 'fail', other);
      await receiver.until(() => receiver.received.length > 0);
      expect(receiver.received.map(({ event }) => event.data)).toMatchObject([{ user_id: other }]);
    });

    it('whose messages are gone do not open a circuit breaker', async () => {
      const project_id = await aProjectTold({ events: ['message.created'] });
      const [user_id, other] = [aUser(), aUser()];
      const acquire = jest.spyOn(test.app.get(OutboxRepository, { strict: false }), 'acquire').mockResolvedValue(null);
      for (let turn = 0; turn < 3; turn++) await record(project_id, user_id);
      await test.app.get(AdminService, { strict: false }).eraseUser(new Owner(project_id, user_id));
      acquire.mockRestore();
      await record(project_id, other);
      await receiver.until(() => receiver.received.length === 2);
      for (const { event } of receiver.received) expect(event.data).toMatchObject({ user_id: other });
    });

    it('are signed with each of the secrets of a variable, so that a receiver can rotate its own', async () => {
      const [older, newer] = [0, 1].map(() => `whsec_${randomBytes(32).toString('base64')}`) as [string, string];
      process.env.TEST_HOOK_SECRETS = `${newer} ${older}`;
      await record(await aProjectTold({ secret_env: 'TEST_HOOK_SECRETS', events: ['message.created'] }));
      await receiver.until(() => receiver.received.length === 2);
      const [{ body, headers }] = receiver.received as [Receiver['received'][number]];
      const sent = new Date(Number(headers['webhook-timestamp']) * 1000);
      const signatures = [newer, older].map((secret) => new Webhook(secret).sign(headers['webhook-id']!, sent, body));
      expect(headers['webhook-signature']).toBe(signatures.join(' '));
      const none = await aProjectTold({ secret_env: 'TEST_HOOK_NOT_SET' });
      await record(none);
      await receiver.until(async () => (await log(none)).every(({ error }) => error === 'NO_SECRET'));
    });
  });

  describe('a receiver that fails', () => {
    const fail = (status: number) => {
      receiver.answer = (response) => void response.writeHead(status, { location: '/elsewhere' }).end();
    };
    /** Moves the clock to the next attempt, if there is one. */
    const goOn = async (project_id: string): Promise<Delivery> => {
      const delivery = (await log(project_id))[0]!;
      if (delivery.next_attempt) test.clock.advance(Date.parse(delivery.next_attempt) - test.clock.now());
      return delivery;
    };

    it('is retried with growing backoff, with the same identifier, until it has the event', async () => {
      const project_id = await aProjectTold({ events: ['session.started'] });
      fail(500);
      await test.call({ path: '/connection', token: await test.token(aUser(), project_id) });
      const pauses: number[] = [];
      for (let attempts = 1; attempts <= 3; attempts++) {
        await receiver.until(async () => {
          const [delivery] = await log(project_id);
          return delivery!.attempts === attempts && delivery!.next_attempt !== undefined;
        });
        const [delivery] = await log(project_id);
        expect(delivery).toMatchObject({ state: 'pending', status: 500 });
        pauses.push(Date.parse(delivery!.next_attempt!) - Date.parse(delivery!.last_attempt!));
        if (attempts === 3) fail(204);
        await goOn(project_id);
      }
      for (const [index, seconds] of [5, 300, 1800].entries()) {
        expect(pauses[index]).toBeGreaterThanOrEqual(seconds * 1000);
        expect(pauses[index]).toBeLessThanOrEqual(seconds * 1100);
      }
      await receiver.until(async () => (await states(project_id)).join() === 'delivered');
      const { received } = receiver;
      expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
      const times = received.map(({ headers }) => Number(headers['webhook-timestamp']));
      expect(times).toEqual([...times].sort((a, b) => a - b));
      expect(times.at(-1)! - times[0]!).toBeGreaterThanOrEqual(2105);
      expect((await log(project_id))[0]).toMatchObject({ attempts: 4, status: 204 });
    });

    it.each<[string, (date: Date) => string]>([
      ['of seconds', () => '7200'],
      ['of a date', (date) => date.toUTCString()],
      [
        'of a date in the format of the C library',
        (date) => date.toUTCString().replace(/^(\w+), (\d+) (\w+) (\d+) (.*) GMT$/, '$1 $3 $2 $5 $4'),
      ],
    ])('is retried after a Retry-After %s, if that is later', async (_, format) => {
      const project_id = await aProjectTold({ events: ['session.started'] });
      receiver.answer = (response) =>
        void response.writeHead(503, { 'retry-after': format(new Date(test.clock.now() + 7_200_000)) }).end();
      await test.call({ path: '/connection', token: await test.token(aUser(), project_id) });
      await receiver.until(async () => {
        const [delivery] = await log(project_id);
        return delivery?.next_attempt !== undefined && delivery.attempts === 1;
      });
      const [delivery] = await log(project_id);
      const pause = Date.parse(delivery!.next_attempt!) - Date.parse(delivery!.last_attempt!);
      expect(pause).toBeGreaterThanOrEqual(7_190_000);
      expect(pause).toBeLessThanOrEqual(7_210_000 * 1.1);
    });

    it('is dead after ten attempts, which the log shows and an operator can retry', async () => {
      const project_id = await aProjectTold({ events: ['session.started'] });
      fail(404);
      await test.call({ path: '/connection', token: await test.token(aUser(), project_id) });
      await receiver.until(async () => (await goOn(project_id)).state === 'dead');
      const [dead] = await log(project_id);
      expect(dead).toMatchObject({ attempts: 10, status: 404, webhook: 'crm', type: 'session.started' });
      expect(dead).not.toHaveProperty('next_attempt');
      expect(receiver.received).toHaveLength(10);
      fail(200);
      test.clock.advance(MINUTE); // while its circuit breaker is open
      expect(await webhooks().retry('evt_none.crm')).toBe(false);
      expect(await webhooks().retryAll(project_id)).toBe(1);
      await receiver.until(async () => (await states(project_id)).join() === 'delivered');
      expect(await webhooks().retry(dead!.id)).toBe(true);
      await receiver.until(() => receiver.received.length === 12);
    });

    it('is retried at once if an operator requests it, unless it waits for its first attempt', async () => {
      const project_id = await aProjectTold({ events: ['session.started'] });
      fail(500);
      await test.call({ path: '/connection', token: await test.token(aUser(), project_id) });
      await receiver.until(async () => {
        const [delivery] = await log(project_id);
        return delivery?.attempts === 1 && delivery.next_attempt !== undefined;
      });
      const waiting = { id: 'evt_waiting', type: 'user.erased' as const, date: test.clock.now() };
      const data = { project_id, user_id: 'u', messages: 0, sessions: 0 };
      const outbox = test.app.get(OutboxRepository, { strict: false });
      await outbox.add({ ...waiting, data }, 'crm', test.clock.now(), MINUTE);
      fail(200);
      expect(await webhooks().retryAll(project_id)).toBe(1);
      await receiver.until(async () => (await states(project_id)).sort().join() === 'delivered,pending');
      expect(receiver.received.map(({ event }) => event.type)).toEqual(['session.started', 'session.started']);
    });

    it.each<[string, () => void, Partial<Delivery>]>([
      ['responds that it is gone', () => fail(410), { state: 'dead', status: 410, attempts: 1 }],
      ['redirects', () => fail(302), { state: 'pending', status: 302, attempts: 1 }],
      [
        'does not respond',
        () => (receiver.answer = () => undefined),
        { state: 'pending', error: 'TIMEOUT', attempts: 1 },
      ],
      [
        'hangs up',
        () => (receiver.answer = (response) => void response.destroy()),
        { state: 'pending', error: 'ECONNRESET', attempts: 1 },
      ],
      [
        'responds without end',
        () => {
          receiver.answer = (response) => {
            const more = () => response.destroyed || response.write('x'.repeat(10_000), () => setImmediate(more));
            more();
          };
        },
        { state: 'delivered', status: 200, attempts: 1 },
      ],
    ])('is handled by its behavior: it %s', async (_, arrange, expected) => {
      const project_id = await aProjectTold({ events: ['session.started'] });
      arrange();
      await test.call({ path: '/connection', token: await test.token(aUser(), project_id) });
      await receiver.until(async () => (await log(project_id))[0]?.last_attempt !== undefined);
      expect((await log(project_id))[0]).toMatchObject(expected);
      expect(receiver.received).toHaveLength(1);
    });

    it('gets missed events when it is back', async () => {
      const project_id = await aProjectTold({ events: ['session.started'] });
      const port = Number(new URL(receiver.url).port);
      await receiver.close();
      await test.call({ path: '/connection', token: await test.token(aUser(), project_id) });
      await receiver.until(async () => (await log(project_id))[0]?.error === 'ECONNREFUSED');
      receiver = await startReceiver(port);
      await goOn(project_id);
      await receiver.until(() => receiver.received.length === 1);
      expect(receiver.received[0]!.event).toMatchObject({ type: 'session.started' });
    });

    it('does not delay another project, however many webhooks it has', async () => {
      const [stuck, well] = [await startReceiver(), receiver];
      let [open, most] = [0, 0];
      stuck.answer = (response) => {
        most = Math.max(most, ++open);
        response.on('close', () => open--);
      };
      const project_id = await aProjectTold({ events: ['message.created'] });
      const other = await aProjectTold();
      const webhooks = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name, url: stuck.url, events: ['message.created'] }));
      const change = { projects: [{ project_id: other, avatars: ['ada'], languages: ['en'], webhooks }] };
      await test.app.get(CatalogueService).apply(JSON.stringify(change));
      for (let n = 0; n < 4; n++) await record(other);
      await stuck.until(() => open > 0);
      await record(project_id);
      await well.until(() => well.received.length === 2);
      await stuck.until(() => stuck.received.length > 4);
      // A quarter of the process's slots.
      expect(most).toBe(4);
      await stuck.close();
    });
  });

  describe('a database timeout', () => {
    it.each(['acquire', 'delivered', 'failed'] as const)(
      'causes no duplicates and no delays: at %s',
      async (operation) => {
        const project_id = await aProjectTold({ events: ['session.started'] });
        const outbox = test.app.get(OutboxRepository, { strict: false });
        const ask = outbox[operation] as (...args: unknown[]) => Promise<OutboxEntry | null | void>;
        let faults = 0;
        jest.spyOn(outbox as Record<typeof operation, typeof ask>, operation).mockImplementation(async (...args) => {
          const answer = await ask.apply(outbox, args);
          const entry = answer ?? (args[0] as OutboxEntry);
          if (entry.project_id === project_id && ++faults <= 2) throw new DatabaseUnavailableError();
          return answer;
        });
        if (operation === 'failed') receiver.answer = (response) => void response.writeHead(410).end();
        await test.call({ path: '/connection', token: await test.token(aUser(), project_id) });
        const state = operation === 'failed' ? 'dead' : 'delivered';
        await receiver.until(async () => faults > 2 && (await states(project_id))[0] === state);
        expect((await log(project_id))[0]).toMatchObject({ state, attempts: 1 });
        expect(receiver.received).toHaveLength(1);
      },
    );
  });

  describe('listeners in the process', () => {
    it('get the same events, and their errors stop nothing', async () => {
      const recorder = test.app.get(EventRecorder, { strict: false });
      const project_id = await aProjectTold({ events: ['user.erased'] });
      const user_id = aUser();
      recorder.fails = true;
      const { outgoing, incoming } = (await say(project_id, 'Hello?', user_id)).body;
      recorder.fails = false;
      await say(project_id, 'nothing', user_id);
      await test.app.get(AdminService, { strict: false }).eraseUser(new Owner(project_id, user_id));
      const heard = recorder.heard.filter(({ data }) => data.user_id === user_id);
      expect(heard.map(({ type }) => type)).toEqual([
        'message.created',
        'message.created',
        'message.created',
        'turn.failed',
        'user.erased',
      ]);
      expect(heard.slice(0, 2).map(({ data }) => data)).toEqual([
        { project_id, ...outgoing },
        { project_id, ...incoming },
      ]);
      expect(heard[0]).toMatchObject({ id: `evt_${outgoing._id}`, date: outgoing.date });
    });
  });

  describe('several processes', () => {
    it('deliver each event once', async () => {
      const { config, clock } = test;
      const other = await createTestApp({ server, clock, config: { database: config.database } });
      const project_id = await aProjectTold({ events: ['message.created'] });
      const chats = [test, other].map(({ app }) => app.get(ChatService));
      await other.token(aUser(), project_id);
      await Promise.all(
        Array.from({ length: 20 }, (_, n) => chats[n % 2]!.record(aTurn({ owner: anOwner({ project_id }) }))),
      );
      // Time passes, so that an attempt that met a busy database is retried.
      await receiver.until(() => (clock.advance(100), receiver.received.length >= 40));
      await receiver.until(async () => {
        clock.advance(100);
        const all = await states(project_id);
        return all.length === 40 && all.every((state) => state === 'delivered');
      });
      expect(receiver.received).toHaveLength(40);
      expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(40);
      await other.app.close();
    });

    it('release the leases of their deliveries when they stop', async () => {
      const first = await createTestApp({ server });
      const { config, clock } = first;
      const project = {
        project_id: 'default',
        avatars: ['ada'],
        languages: ['en'],
        webhooks: [{ name: 'crm', url: receiver.url }],
      };
      await first.app.get(CatalogueService).apply(JSON.stringify({ projects: [project] }));
      receiver.answer = () => undefined;
      await first.call({ path: '/connection', token: await first.token(aUser()) });
      await receiver.until(() => receiver.received.length === 1);
      receiver.answer = (response) => void response.writeHead(204).end();
      await first.app.close();
      const second = await createTestApp({ server, clock, config: { database: config.database } });
      await receiver.until(() => receiver.received.length === 2);
      const service = second.app.get(WebhooksService, { strict: false });
      const entry = async () => (await service.log().next()).value;
      await receiver.until(async () => (await entry()).state === 'delivered');
      expect(await entry()).toMatchObject({ state: 'delivered', attempts: 1 });
      expect(receiver.received).toHaveLength(2);
      await second.close();
    });
  });
});
