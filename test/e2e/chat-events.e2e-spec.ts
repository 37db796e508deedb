import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { MessageRecorder } from '../../src/messages/index.js';
import { MessageArchive } from '../../src/messages/index.js';
import { EventStreams } from '../../src/conversations/index.js';
import { ErasureFences } from '../../src/erasure/index.js';
import { CatalogueService, ChatService, Owner } from '../../src/index.js';
import type { ServiceAdapter } from '../../src/platform/http/index.js';
import { aProject, aTurn, aUser, createTestApp, EventReader, onEachServer, type TestApp } from '../support/index.js';

const ADMIN_KEY = 'k'.repeat(40);
const DAY = 86_400_000;

onEachServer((server) => {
  /** Two processes on one database. */
  let [here, there]: TestApp[] = [];
  let [port, otherPort]: number[] = [];
  const readers: EventReader[] = [];

  beforeAll(async () => {
    here = await createTestApp({ server, config: { adminKey: ADMIN_KEY } });
    const { clock, config } = here;
    there = await createTestApp({
      server,
      clock,
      config: { adminKey: ADMIN_KEY, database: config.database, jwtSecret: config.jwtSecret },
    });
    [port, otherPort] = [await here!.listen(), await there!.listen()];
  });
  afterEach(() => readers.splice(0).forEach((reader) => reader.close()));
  afterAll(async () => {
    await there!.close();
    await here!.close();
  });

  const follow = async (token: string, { at = port!, path = '/chat/events', last = '' } = {}) => {
    const reader = await EventReader.open(at, path, {
      authorization: `Bearer ${token}`,
      ...(last ? { 'last-event-id': last } : {}),
    });
    readers.push(reader);
    return reader;
  };
  const aVisitor = async (project_id = 'default') => {
    const owner = new Owner(project_id, aUser());
    const token = await here!.token(owner.user_id, project_id);
    return { owner, token };
  };
  const record = (owner: Owner, request: string, app = here!) =>
    app.app.get(ChatService).record(aTurn({ owner, request }));
  const history = async (owner: Owner, token: string) => {
    const { body } = await here!.call({ path: `/chat?user_id=${owner.user_id}&per_page=1000`, token });
    return body.payload.toReversed();
  };

  it('sends the messages of a turn in the order of the history, as GET /chat has them, with their ids; typing comes before the answer', async () => {
    const { owner, token } = await aVisitor();
    const reader = await follow(token);
    expect(reader.response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'x-accel-buffering': 'no',
      'cache-control': 'no-store, no-transform',
    });
    await here!.call({ method: 'POST', path: '/chat', token, body: { avatar_id: 'ada', request: 'Hello' } });
    const messages = await reader.until('message', 2);
    expect(messages).toEqual(await history(owner, token));
    expect(reader.of('typing')).toEqual([{ avatar_id: 'ada', name: 'Ada', typing: true }]);
    expect(reader.events.map(({ event, id }) => [event, id]).filter(([event]) => event === 'message')).toEqual(
      messages.map(({ _id }) => ['message', _id]),
    );
    expect(reader.events.filter(({ event, id }) => event !== 'message' && id !== undefined)).toEqual([]);
    expect(reader.text).toMatch(/^retry: \d{4}\n\n/);
  });

  it('sends messages that another process has stored, and none to another user, project or twice', async () => {
    const visitors = [await aVisitor(), await aVisitor()];
    const project_id = aProject();
    await here!.app
      .get(CatalogueService)
      .apply(JSON.stringify({ projects: [{ project_id, avatars: ['ada'], languages: ['en'] }] }));
    const namesake = { owner: new Owner(project_id, visitors[0]!.owner.user_id), token: '' };
    namesake.token = await here!.token(namesake.owner.user_id, project_id);
    const all = [...visitors, namesake];
    const streams = await Promise.all(all.map(({ token }) => follow(token)));
    for (const [index, { owner }] of all.entries())
      for (const app of [there!, here!, there!]) await record(owner, `to ${index}`, app);
    for (const [index, reader] of streams.entries()) {
      await reader.until('message', 6);
      expect(new Set(reader.of('message').map(({ request }) => request))).toEqual(new Set([`to ${index}`]));
      expect(reader.of('message')).toEqual(await history(all[index]!.owner, all[index]!.token));
    }
    await delay(1500); // the next look at the database finds them again
    expect(streams.map((reader) => reader.of('message').length)).toEqual([6, 6, 6]);
  });

  it('replays what came after a message, by the header or the parameter; the header counts; imports are neither sent nor replayed', async () => {
    const { owner, token } = await aVisitor();
    const first = await record(owner, 'first');
    const { _id, user_id } = first.incoming;
    await here!.app.get(MessageArchive).add([
      {
        ...first.outgoing,
        direction: 'outgoing',
        project_id: 'default',
        _id: aUser(),
        request: 'imported',
        date: Date.now() + DAY / 2,
      },
    ]);
    const second = await record(owner, 'second');
    const { _id: lastId } = (await record(owner, 'third')).incoming;
    const query = (id: string) => `/chat/events?last_event_id=${id}`;
    const streams = await Promise.all([
      follow(token, { last: _id }),
      follow(token, { path: query(_id) }),
      follow(token, { path: query(lastId), last: second.incoming._id }),
    ]);
    await Promise.all(streams.map((reader, index) => reader.until('message', index < 2 ? 4 : 2)));
    const { outgoing } = await record(owner, 'fourth');
    await Promise.all(streams.map((reader, index) => reader.until('message', index < 2 ? 6 : 4)));
    const requests = (reader: EventReader) => reader.of('message').map(({ request }) => request);
    const later = ['third', 'third', 'fourth', 'fourth'];
    expect(streams.map(requests)).toEqual([['second', 'second', ...later], ['second', 'second', ...later], later]);
    expect(streams.map((reader) => reader.of('reset').length)).toEqual([0, 0, 0]);
    expect(outgoing.user_id).toBe(user_id);
  });

  it("begins with reset after an unknown or another user's message, and after a gap of more than 1,000", async () => {
    const { owner, token } = await aVisitor();
    const stranger = await record((await aVisitor()).owner, 'theirs');
    const { incoming } = await record(owner, 'mine');
    const drafts = Array.from({ length: 1000 }, (_none, n) => {
      const { owner: _o, answer: _a, avatar_name: _n, ...said } = aTurn({ request: `number ${n}` });
      return { ...said, direction: 'outgoing' as const };
    });
    await here!.app.get(MessageRecorder).append(owner, drafts, here!.clock.now());
    const whole = await follow(token, { last: incoming._id });
    expect((await whole.until('message', 1000)).map(({ request }) => request)).toEqual(
      drafts.map(({ request }) => request),
    );
    expect(whole.of('reset')).toEqual([]);
    whole.close();
    const { outgoing: newest } = await record(owner, 'one more');
    const paths = ['?last_event_id=a&last_event_id=b', `?last_event_id=${encodeURIComponent('not an id')}`];
    for (const last of [stranger.incoming._id, 'f'.repeat(24), 'x'.repeat(300), incoming._id, ...paths]) {
      const path = last.startsWith('?') ? `/chat/events${last}` : '/chat/events';
      const reader = await follow(token, { path, last: last.startsWith('?') ? '' : last });
      await reader.until('reset');
      await record(owner, 'after');
      const [message] = await reader.until('message', 1);
      expect(reader.events[0]).toEqual({ event: 'reset', data: {} });
      expect(message.request).toBe('after');
      expect(message.date).toBeGreaterThan(newest.date);
      reader.close();
    }
  });

  it('ends the oldest of six streams of a user, and refuses more than EVENT_STREAMS', async () => {
    const { token } = await aVisitor();
    const streams: EventReader[] = [];
    for (let n = 0; n < 6; n++) streams.push(await follow(token));
    await streams[0]!.untilEnd();
    expect(streams[0]!.events.at(-1)!.event).toBe('replaced');
    expect(streams.slice(1).map((reader) => reader.isEnded)).toEqual([false, false, false, false, false]);
    const small = await createTestApp({ server, config: { eventStreams: 2 } });
    try {
      const at = await small.listen();
      const [a, b, c] = await Promise.all([aUser(), aUser(), aUser()].map((user) => small.token(user)));
      const [first] = [await follow(a!, { at }), await follow(b!, { at })];
      const refused = await follow(c!, { at });
      expect([refused.status, refused.response.headers['retry-after']]).toEqual([503, '1']);
      first!.close();
      await delay(100);
      expect((await follow(c!, { at })).status).toBe(200);
    } finally {
      await small.close();
    }
  });

  it('leaves no place taken by a client that has left before it began, or that waited for an earlier response', async () => {
    const { token } = await aVisitor();
    const streams = here!.app.get(EventStreams);
    const untilFree = async () => {
      for (let n = 0; streams.size > 0 && n < 100; n++) await delay(20);
      expect(streams.size).toBe(0);
    };
    await untilFree();
    const fences = here!.app.get(ErasureFences, { strict: false });
    const currentFence = fences.currentFence.bind(fences);
    let asked = 0;
    const slow = jest.spyOn(fences, 'currentFence').mockImplementation(async () => {
      asked++;
      await delay(200);
      return currentFence();
    });
    const request = `GET /chat/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    const leave = async (text: string, isReady: () => boolean) => {
      const socket = connect(port!, '127.0.0.1');
      socket.write(text);
      while (!isReady()) await delay(10);
      socket.destroy();
    };
    await leave(request, () => asked === 1);
    await delay(400);
    expect(asked).toBe(1);
    await untilFree();
    slow.mockRestore();
    await leave(request.repeat(3), () => streams.size === 3);
    await untilFree();
  });

  it('HEAD is over at once and takes no place; a stream needs a token', async () => {
    const { token } = await aVisitor();
    const before = here!.app.get(EventStreams).size;
    const { status, headers, text } = await here!.call({ method: 'HEAD', path: '/chat/events', token });
    expect([status, headers['content-type'], text]).toEqual([200, 'text/event-stream; charset=utf-8', '']);
    expect(here!.app.get(EventStreams).size).toBe(before);
    expect((await here!.call({ path: '/chat/events' })).body.error).toBe('missing_token');
  });

  it('ends when the token expires, and begins with 403 then', async () => {
    const { token } = await aVisitor();
    const reader = await follow(token);
    here!.clock.advance(DAY);
    await reader.untilEnd();
    expect(reader.events).toEqual([{ event: 'token_expired', data: {} }]);
    expect((await follow(token)).status).toBe(403);
  });

  it('ends, in any process, when its project becomes closed to the token', async () => {
    const project_id = aProject();
    const apply = (token_policy: string) =>
      here!.app
        .get(CatalogueService)
        .apply(JSON.stringify({ projects: [{ project_id, token_policy, avatars: ['ada'], languages: ['en'] }] }));
    await apply('open');
    const { token } = await aVisitor(project_id);
    const streams = [await follow(token), await follow(token, { at: otherPort! })];
    await apply('verified');
    for (const reader of streams) {
      await reader.untilEnd();
      expect(reader.events).toEqual([{ event: 'token_expired', data: {} }]);
    }
    expect((await follow(token)).status).toBe(401);
  });

  it('ends, in any process, when the user is erased or the project removed; the next stream goes on', async () => {
    const project_id = aProject();
    await here!.app
      .get(CatalogueService)
      .apply(JSON.stringify({ projects: [{ project_id, avatars: ['ada'], languages: ['en'] }] }));
    const { owner, token } = await aVisitor(project_id);
    const other = await aVisitor(project_id);
    await record(owner, 'to be erased');
    const admin = { token: ADMIN_KEY };
    const erased = [await follow(token), await follow(token, { at: otherPort })];
    const kept = [await follow(other.token), await follow(other.token, { at: otherPort })];
    const path = `/admin/messages?project_id=${project_id}&user_id=${owner.user_id}`;
    await here!.call({ method: 'DELETE', path, ...admin });
    for (const reader of erased) {
      await reader.untilEnd();
      expect(reader.events.at(-1)).toEqual({ event: 'messages_removed', data: {} });
    }
    const next = await follow(token);
    await record(owner, 'afterwards');
    expect((await next.until('message', 2)).map(({ request }) => request)).toEqual(['afterwards', 'afterwards']);
    await delay(1200);
    expect([...kept, next].map(({ isEnded }) => isEnded)).toEqual([false, false, false]);
    await here!.call({ method: 'DELETE', path: `/admin/projects/${project_id}`, ...admin });
    for (const reader of [...kept, next]) {
      await reader.untilEnd();
      expect(reader.events.at(-1)!.event).toBe('messages_removed');
    }
  });

  it('a spoken answer comes when its text is final, and later messages after it', async () => {
    const { owner, token } = await aVisitor();
    const reader = await follow(token, { at: otherPort });
    const recorder = here!.app.get(MessageRecorder);
    const { owner: _, ...said } = aTurn({ request: 'Tell me', answer: 'Once' });
    const fence = { fence: 0 };
    const { _id } = await recorder.begin(owner, { ...said, direction: 'incoming' }, here!.clock.now(), fence);
    await record(owner, 'later');
    await delay(1500);
    expect(reader.of('message')).toEqual([]);
    await recorder.finish(owner, _id, 'Once upon a time');
    const messages = await reader.until('message', 3);
    expect(messages.map(({ answer }) => answer)).toEqual(['Once upon a time', undefined, 'About 384,400 km.']);
  });

  it('gives up a client that does not read, at about a mebibyte', async () => {
    const { owner, token } = await aVisitor();
    const socket = connect(port!, '127.0.0.1').on('error', () => undefined);
    socket.pause();
    socket.write(`GET /chat/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    const streams = here!.app.get(EventStreams);
    const before = streams.size;
    for (let n = 0; streams.size === before && n < 100; n++) await delay(20);
    expect(streams.size).toBe(before + 1);
    let sent = 0;
    for (; streams.size > before && sent < 300; sent++) {
      await here!.app.get(ChatService).record(aTurn({ owner, answer: 'x'.repeat(99_000) }));
    }
    expect(sent).toBeLessThan(300);
    socket.destroy();
  });

  it('says going_away when the process stops, and takes no more', async () => {
    const project = await createTestApp({ server, config: {} });
    try {
      const at = await project.listen();
      const token = await project.token(aUser());
      const reader = await follow(token, { at });
      (project.app.getHttpAdapter() as unknown as ServiceAdapter).drain();
      await reader.untilEnd();
      expect(reader.events).toEqual([{ event: 'going_away', data: {} }]);
      const refused = await follow(token, { at });
      expect([refused.status, refused.response.headers['retry-after']]).toEqual([503, '1']);
    } finally {
      await project.close();
    }
  });
});
