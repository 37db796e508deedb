import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { WebSocket, WebSocketServer } from 'ws';
import { Config } from '../platform/config/index.js';
import { failure } from '../platform/errors/index.js';
import { TestClock } from '../testing/test-clock.js';
import { LiveAllowances } from './live.allowances.js';
import { Metrics } from '../platform/metrics/index.js';
import { LIVE_HOST } from './live.host.js';
import { LiveMetrics } from './live.metrics.js';
import type { TranscribeRequest } from 'avatar-chat-models';
import type { Admitted } from './live.admission.js';
import { LiveSessions, type Slot } from './live.sessions.js';

// Failures are logged as errors.
beforeAll(() => Logger.overrideLogger(false));

const nothing = () => undefined;
const admission = {
  owner: { project_id: 'p', user_id: 'u' },
  resolved: {
    project: { settings: { chat_types: ['voice'], messageTimeoutSeconds: 60 } },
    languages: [{ language_code: 'en' }, { language_code: 'de' }],
  },
  avatar: { _id: 'ada', engine: { kind: 'scripted' } },
  language_code: 'en',
  expires: Infinity,
  address: '::1',
  holders: ['p/u'],
} as unknown as Admitted;

let server: WebSocketServer;
let sessions: LiveSessions;
/** Logged errors, and listeners that were not closed. */
const logged: string[] = [];
const listeners = new Set<object>();
/** The holders of what was to be transcribed. */
let transcribed: unknown[];
let listening: () => Promise<void>;
let push: () => void;
let transcribing: (signal: AbortSignal) => Promise<string | undefined>;
let counting: () => Promise<void>;
let checking: () => Promise<void>;
let watching: number;
let isHosted: boolean;
let epoch: string;

beforeEach(async () => {
  logged.length = 0;
  listeners.clear();
  transcribed = [];
  [listening, push] = [async () => undefined, nothing];
  counting = checking = async () => undefined;
  transcribing = async () => undefined;
  watching = 0;
  [isHosted, epoch] = [false, 'first'];
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
  const metrics = new LiveMetrics(new Metrics({} as never), new Config());
  const parts = {
    host: LIVE_HOST,
    engines: { prepare: nothing, isScripted: () => true, kindOf: () => 'scripted' },
    usage: { count: nothing },
    speech: {
      prepare: nothing,
      listen,
      isHosted: () => isHosted,
      canJudgeTurns: async () => false,
      transcribe: async (_: unknown, { holders, signal, onHeard }: TranscribeRequest) => {
        transcribed.push(holders);
        onHeard!(0.1, 'de');
        return transcribing(signal);
      },
    },
    people: { follow: () => nothing },
    allowances: new LiveAllowances(),
    counts: { count: () => counting() },
    erasures: { check: () => checking(), watch: () => (watching++, () => watching--) },
    metrics,
  };
  const catalogue = { knownProject: () => ({ epoch }) } as never;
  sessions = new LiveSessions(
    parts as never,
    metrics,
    new Config({ liveSessions: 1 }),
    new TestClock(),
    catalogue,
    { record: async () => undefined, remove: async () => undefined } as never,
    {
      info: nothing,
      error: (_: object, text: string) => logged.push(text),
    } as never,
  );
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
});
afterEach(async () => {
  for (const socket of server.clients) socket.terminate();
  await new Promise((resolve) => server.close(resolve));
  await sessions.beforeApplicationShutdown();
});

const aSlot = (): Slot => ({ release: nothing, isTaken: false });

/** The client of a session: its events, and the server's end of its connection. */
const connect = async (resume?: string, as = admission, slot: Slot = aSlot()) => {
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const events: Record<string, any>[] = [];
  client.on('message', (data: Buffer) => events.push(JSON.parse(String(data))));
  client.on('error', nothing);
  const opened = once(client, 'open');
  const [socket] = (await once(server, 'connection')) as [WebSocket];
  sessions.open(socket, { admission: as, slot, resume });
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
  sessions.reserveSlot(admission).release();
  sessions.goingAway(2500);
  expect(() => sessions.reserveSlot(admission)).toThrow(
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
  const other = { ...admission, owner: { project_id: 'p', user_id: 'other' } } as Admitted;
  sessions.reserveSlot(other, id).release();
  expect(first.client.readyState).toBe(1);
  const closed = once(first.client, 'close');
  sessions.reserveSlot(admission, id);
  expect((await closed)[0]).toBe(1000);
  const again = await connect(id);
  expect(await again.until('session.created')).toMatchObject({ resumed: true, session: { id } });
  again.send({ type: 'conversation.item.retrieve', item_id: 'one' });
  expect(await again.until('conversation.item.retrieved')).toMatchObject({ item: { id: 'one' } });
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
  sessions.open(socket, { admission, slot: aSlot() });
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

describe('of the sessions that wait for their clients', () => {
  const of = (user_id: string) =>
    ({ ...admission, owner: { project_id: 'p', user_id }, holders: [`p/${user_id}`] }) as Admitted;
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

  const many = Array<string>(100).fill('greedy');

  it('a user may have all, of which the oldest is dropped for another of its own, the newest for one of another user', async () => {
    const greedy = await lose([...many, 'greedy']);
    const [modest] = await lose(['modest']);
    expect(await isResumed(greedy[0]!, 'greedy')).toBe(false);
    expect(await isResumed(greedy[100]!, 'greedy')).toBe(false);
    expect(await isResumed(greedy[1]!, 'greedy')).toBe(true);
    expect(await isResumed(modest!, 'modest')).toBe(true);
  });

  it('those of a hundred users all stay', async () => {
    const users = Array.from({ length: 101 }, (_, n) => `u${n}`);
    const ids = await lose(users);
    expect(await isResumed(ids[0]!, users[0]!)).toBe(true);
    expect(await isResumed(ids[100]!, users[100]!)).toBe(false);
  });
});

it('a client that is lost during the check whether its user was erased is watched until its session ends', async () => {
  let go = nothing as () => void;
  checking = () => new Promise((resolve) => (go = resolve));
  const { client, socket, until } = await connect();
  await until('session.created');
  client.terminate();
  await once(socket, 'close');
  go();
  await delay(20);
  expect({ watching, logged }).toEqual({ watching: 1, logged: [] });
  sessions.goingAway(2500);
  expect(watching).toBe(0);
});

it('speech in an item takes a share of its user and address', async () => {
  const { until, send } = await connect();
  await until('session.created');
  const content = [{ type: 'input_audio', audio: Buffer.alloc(4800).toString('base64') }];
  send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } });
  await until('conversation.item.deleted');
  expect(transcribed).toEqual([admission.holders]);
});

it('what is transcribed, and whether its user is erased, matters as long as a session may be resumed', async () => {
  const begun = new Promise<AbortSignal>((resolve) => {
    transcribing = async (signal) => {
      resolve(signal);
      return new Promise((_, reject) => signal.addEventListener('abort', reject));
    };
  });
  const { client, socket, until, send } = await connect();
  await until('session.created');
  const content = [{ type: 'input_audio', audio: Buffer.alloc(4800).toString('base64') }];
  send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } });
  const signal = await begun;
  client.terminate();
  await once(socket, 'close');
  await delay(20);
  expect([signal.aborted, watching]).toEqual([false, 1]);
  sessions.goingAway(2500);
  expect([signal.aborted, watching]).toEqual([true, 0]);
});

it('speech in an item has the language that was detected', async () => {
  transcribing = async () => 'Hallo';
  const { until, send } = await connect();
  await until('session.created');
  const content = [{ type: 'input_audio', audio: Buffer.alloc(4800).toString('base64') }];
  send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } });
  const { transcript, language } = await until('conversation.item.input_audio_transcription.completed');
  expect([transcript, language]).toEqual(['Hallo', 'de']);
});

it('an item gets a unique identifier', async () => {
  const { until, send } = await connect();
  const item = { id: 'one', role: 'user', content: [{ text: 'Hello' }] };
  for (let n = 0; n < 2; n++) send({ type: 'conversation.item.create', item });
  expect(await until('error')).toMatchObject({ error: { code: 'item_create_duplicate_item_id' } });
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

it('a session ends once its project begins a new epoch, unless its token names none', async () => {
  const [bound, free] = [await connect(undefined, { ...admission, epoch: 'first' }), await connect()];
  await Promise.all([bound.until('session.created'), free.until('session.created')]);
  epoch = 'second';
  expect(await bound.until('session.going_away')).toMatchObject({ reason: 'invalid_token' });
  expect((await once(bound.client, 'close'))[0]).toBe(1008);
  expect(free.client.readyState).toBe(1);
});

it('a session gives way to a user without one, also if that comes before it has begun', async () => {
  const slot = sessions.reserveSlot(admission);
  const { client, until } = await connect(undefined, admission, slot);
  await until('session.created');
  expect(() => sessions.reserveSlot(admission)).toThrow(expect.objectContaining({ status: 503 }));
  const other = { ...admission, holders: ['p/other'] } as Admitted;
  // It has as many as the other would have.
  expect(() => sessions.reserveSlot(other)).toThrow(expect.objectContaining({ status: 503 }));
  slot.onTaken!();
  expect(await until('session.going_away')).toMatchObject({ reason: 'capacity' });
  expect((await once(client, 'close'))[0]).toBe(1013);
  const early = await connect(undefined, admission, { ...aSlot(), isTaken: true });
  expect((await once(early.client, 'close'))[0]).toBe(1013);
});

describe('audio for a server that charges for it', () => {
  beforeEach(() => (isHosted = true));
  const chunk = { type: 'input_audio_buffer.append', audio: Buffer.alloc(48 * 15_000).toString('base64') };

  it('is taken no faster than it is spoken, beyond a start, over all connections of a user', async () => {
    let pushed = 0;
    push = () => pushed++;
    for (const { until, send } of [await connect(), await connect()]) {
      await until('session.created');
      for (let n = 0; n < 4; n++) send(chunk);
    }
    for (const end = Date.now() + 10_000; pushed < 4 && Date.now() < end;) await delay(10);
    await delay(300);
    expect(pushed).toBe(4);
  });

  it('counts as a turn when it is committed', async () => {
    counting = () => Promise.reject(failure('rate_limited', 1));
    const { until, send } = await connect();
    await until('session.created');
    send({ type: 'input_audio_buffer.commit' });
    expect(await until('error')).toMatchObject({ error: { code: 'rate_limited' } });
  });
});
