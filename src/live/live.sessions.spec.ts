import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Registry } from 'prom-client';
import { WebSocket, WebSocketServer } from 'ws';
import { Config } from '../platform/config/index.js';
import { TestClock } from '../testing/test-clock.js';
import { LiveMetrics } from './live.metrics.js';
import type { Admission } from './session/live.session.js';
import { LiveSessions } from './live.sessions.js';

// Failures are logged as errors.
beforeAll(() => Logger.overrideLogger(false));

const nothing = () => undefined;
const admission = {
  owner: { project_id: 'p', user_id: 'u' },
  resolved: {
    project: { settings: { chat_types: ['voice'] } },
    languages: [{ language_code: 'en' }, { language_code: 'de' }],
  },
  avatar: { _id: 'ada', engine: { kind: 'scripted' } },
  language_code: 'en',
  expires: Infinity,
  address: '::1',
} as unknown as Admission;

let server: WebSocketServer;
let sessions: LiveSessions;
/** Logged errors, and listeners that were not closed. */
const logged: string[] = [];
const listeners = new Set<object>();
let listening: () => Promise<void>;
let push: () => void;
let counting: () => Promise<void>;
let checking: () => Promise<void>;
let watching: number;

beforeEach(async () => {
  logged.length = 0;
  listeners.clear();
  [listening, push] = [async () => undefined, nothing];
  counting = checking = async () => undefined;
  watching = 0;
  const listen = async () => {
    await listening();
    const listener = {
      push: () => push(),
      configure: nothing,
      clear: nothing,
      close: () => listeners.delete(listener),
    };
    listeners.add(listener);
    return listener;
  };
  const metrics = new LiveMetrics({ registry: new Registry() } as never);
  const parts = {
    engines: { prepare: nothing },
    speech: { prepare: nothing, listen },
    counts: { count: () => counting() },
    erasures: { check: () => checking(), watch: () => (watching++, () => watching--) },
    metrics,
  };
  sessions = new LiveSessions(parts as never, metrics, new Config({ liveSessions: 1 }), new TestClock(), {
    info: nothing,
    error: (_: object, text: string) => logged.push(text),
  } as never);
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
});
afterEach(async () => {
  for (const socket of server.clients) socket.terminate();
  await new Promise((resolve) => server.close(resolve));
  await sessions.beforeApplicationShutdown();
});

/** The client of a session: its events, and the server's end of its connection. */
const connect = async (resume?: string, as = admission) => {
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const events: Record<string, any>[] = [];
  client.on('message', (data: Buffer) => events.push(JSON.parse(String(data))));
  client.on('error', nothing);
  const opened = once(client, 'open');
  const [socket] = (await once(server, 'connection')) as [WebSocket];
  sessions.begin(socket, as, resume);
  await opened;
  const until = async (type: string) => {
    for (;;) {
      const found = events.find((event) => event.type === type);
      if (found) return found;
      await Promise.race([
        once(client, 'message'),
        once(client, 'close').then(() => Promise.reject(new Error('closed'))),
      ]);
    }
  };
  return { client, socket, events, until, send: (event: object) => client.send(JSON.stringify(event)) };
};

/** Waits for a number of messages. */
const messages = (socket: WebSocket, count: number) =>
  new Promise<void>((resolve) => socket.on('message', () => void (--count === 0 && resolve())));

it('no session starts during a shutdown', () => {
  sessions.reserve(admission)();
  sessions.goingAway(2500);
  expect(() => sessions.reserve(admission)).toThrow(
    expect.objectContaining({ code: 'service_unavailable', status: 503 }),
  );
});

it('messages sent before a client was lost are not handled afterwards', async () => {
  const { client, socket, until, send } = await connect();
  await until('session.created');
  let go = nothing as () => void;
  listening = () => new Promise((resolve) => (go = resolve));
  const come = messages(socket, 2);
  for (const language of ['de', 'en'])
    send({ type: 'session.update', session: { audio: { input: { transcription: { language } } } } });
  await come;
  client.terminate();
  await once(socket, 'close');
  listening = async () => undefined;
  go();
  await delay(20);
  expect(listeners.size).toBe(0);
});

it('a session is resumed by its own user before its loss is detected, in the same slot', async () => {
  const first = await connect();
  const { id } = (await first.until('session.created')).session;
  first.send({ type: 'conversation.item.create', item: { id: 'one', role: 'user', content: [{ text: 'Hello' }] } });
  await first.until('conversation.item.done');
  const other = { ...admission, owner: { project_id: 'p', user_id: 'other' } } as Admission;
  expect(() => sessions.reserve(other, id)).toThrow(expect.objectContaining({ status: 503 }));
  sessions.reserve(admission, id)();
  const again = await connect(id);
  expect(await again.until('session.created')).toMatchObject({ resumed: true, session: { id } });
  again.send({ type: 'conversation.item.retrieve', item_id: 'one' });
  expect(await again.until('conversation.item.retrieved')).toMatchObject({ item: { id: 'one' } });
  await once(first.client, 'close');
  expect(listeners.size).toBe(1);
  const stranger = await connect(id, other);
  expect((await stranger.until('session.created')).session.id).not.toBe(id);
});

it('a session that cannot listen ends, with one log line for all messages of its client', async () => {
  let fail = nothing as (error: Error) => void;
  listening = () => new Promise((_, reject) => (fail = reject));
  const { client, socket, send } = await connect();
  const come = messages(socket, 2);
  for (let n = 0; n < 2; n++) send({ type: 'response.create' });
  await come;
  fail(new Error('x'));
  await once(client, 'close');
  expect(logged).toEqual(['live session failed']);
});

it('audio that cannot be processed is an error for its client', async () => {
  push = () => {
    throw new Error('x');
  };
  const { client, until } = await connect();
  await until('session.created');
  client.send(Buffer.alloc(480));
  expect(await until('error')).toMatchObject({ error: { code: 'internal_error' } });
});

it('a client that is gone before its session has started gets none', async () => {
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  client.on('error', nothing);
  const [socket] = (await once(server, 'connection')) as [WebSocket];
  listening = () => Promise.reject(new Error('it listens'));
  socket.terminate();
  sessions.begin(socket, admission);
  await once(client, 'close');
  await delay(20);
  expect(logged).toEqual([]);
});

it('a client that is lost while recognition starts leaves no listener behind', async () => {
  let go = nothing as () => void;
  listening = () => new Promise((resolve) => (go = resolve));
  const { client, socket, events } = await connect();
  await delay(20);
  client.terminate();
  await once(socket, 'close');
  await delay(20);
  go();
  await delay(20);
  expect(events).toEqual([]);
  expect(listeners.size).toBe(0);
});

describe('of the sessions that wait for their clients, the oldest is dropped first', () => {
  const of = (user_id: string) => ({ ...admission, owner: { project_id: 'p', user_id } }) as Admission;
  /** Sessions of users, in order, whose clients are lost. */
  const lose = async (users: readonly string[]) => {
    const ids: string[] = [];
    for (const user of users) {
      const { client, socket, until } = await connect(undefined, of(user));
      ids.push((await until('session.created')).session.id);
      const lost = once(socket, 'close');
      client.terminate();
      await lost;
    }
    return ids;
  };
  const isResumed = async (id: string, user: string) =>
    (await (await connect(id, of(user))).until('session.created')).resumed === true;

  it('beyond a hundred', async () => {
    const users = Array.from({ length: 101 }, (_, n) => `u${n}`);
    const ids = await lose(users);
    expect(await isResumed(ids[1]!, users[1]!)).toBe(true);
    expect(await isResumed(ids[0]!, users[0]!)).toBe(false);
  });

  it('beyond ten of a user', async () => {
    const [first, others] = [await lose(['other']), await lose(Array(11).fill('u') as string[])];
    expect(await isResumed(others[1]!, 'u')).toBe(true);
    expect(await isResumed(others[0]!, 'u')).toBe(false);
    expect(await isResumed(first[0]!, 'other')).toBe(true);
  });
});

it('a client that is lost during the check whether its user was erased is not watched any more', async () => {
  let go = nothing as () => void;
  checking = () => new Promise((resolve) => (go = resolve));
  const { client, socket, until } = await connect();
  await until('session.created');
  client.terminate();
  await once(socket, 'close');
  go();
  await delay(20);
  expect({ watching, logged }).toEqual({ watching: 0, logged: [] });
});

it('an item gets a unique identifier', async () => {
  const { until, send } = await connect();
  const item = { id: 'one', role: 'user', content: [{ text: 'Hello' }] };
  for (let n = 0; n < 2; n++) send({ type: 'conversation.item.create', item });
  expect(await until('error')).toMatchObject({ error: { code: 'invalid_value' } });
});

it('a shutdown waits a second for work in progress, and no longer', async () => {
  counting = () => new Promise(nothing);
  const { client, until, send } = await connect();
  await until('session.created');
  send({ type: 'conversation.item.create', item: { id: 'one', role: 'user', content: [{ text: 'Hello' }] } });
  send({ type: 'response.create' });
  await until('conversation.item.done');
  const closed = once(client, 'close');
  await sessions.beforeApplicationShutdown();
  expect((await closed)[0]).toBe(1001);
});
