import { All, Controller, Delete, Get, HttpCode, Module, Redirect, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { WebSocket } from 'ws';
import { CatalogueService, CurrentUser, type Owner } from '../../../src/index.js';
import { PUPPET, PuppetEngine, PuppetModule } from '../../../test/support/engines.js';
import {
  anyServer,
  aProject,
  aProxy,
  aRecording,
  aUser,
  createTestApp,
  type Proxy,
  type TestApp,
} from '../../../test/support/index.js';
import { AvatarChat, type AvatarChatOptions, type ExchangeReport, type TurnEvent } from '../src/index.js';

const DAY = 86_400_000;

let test: TestApp;
let service: string;
let proxy: Proxy;
const project_id = aProject();

beforeAll(async () => {
  test = await createTestApp({
    server: anyServer(),
    modules: [PuppetModule, EchoModule],
    config: { publicUrl: undefined },
  });
  service = `http://127.0.0.1:${await test.listen()}`;
  const project = { project_id, avatars: ['puppet', 'ada'], languages: ['en'] };
  await test.app.get(CatalogueService).apply(JSON.stringify({ avatars: [PUPPET], projects: [project] }));
});
afterAll(() => test.close());
beforeEach(async () => (proxy = await aProxy(service)));
afterEach(() => proxy.stop());

@Controller('echo')
class EchoController {
  @All('here')
  here(@Req() { method, query, body }: FastifyRequest, @CurrentUser() { user_id }: Owner) {
    return { method, query, body, user_id };
  }
  @Delete('nothing')
  @HttpCode(204)
  nothing() {}
  @Get('elsewhere')
  @Redirect('http://127.0.0.1:1/')
  elsewhere() {}
}
@Module({ controllers: [EchoController] })
class EchoModule {}

const client = (options: Partial<AvatarChatOptions> = {}) =>
  new AvatarChat({ url: proxy.url, user_id: aUser(), project_id, ...options });
const say = (request: string) => ({ avatar_id: 'puppet', request });
const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
};
const told = (events: TurnEvent[]) =>
  events.reduce(
    (text, event) => (event.event === 'restart' ? '' : event.event === 'delta' ? text + event.text : text),
    '',
  );
const count = (name: string) => proxy.seen.filter((one) => one === name).length;

describe('the token', () => {
  it('is fetched once for concurrent requests', async () => {
    const chat = client();
    await Promise.all(Array.from({ length: 20 }, () => chat.connect()));
    expect({ tokens: count('POST /jwt'), connections: count('GET /connection') }).toEqual({
      tokens: 1,
      connections: 20,
    });
  });

  it('is renewed once after it has expired, and each request is repeated once', async () => {
    const chat = client();
    await chat.connect();
    test.clock.advance(DAY);
    proxy.seen.length = 0;
    await Promise.all(Array.from({ length: 20 }, () => chat.page()));
    expect({ tokens: count('POST /jwt'), pages: count('GET /chat') }).toEqual({ tokens: 1, pages: 40 });
  });

  it('and the session that expired with it do not prevent a live conversation', async () => {
    const chat = client({ WebSocket });
    const { session } = await chat.connect();
    test.clock.advance(DAY);
    const live = await chat.live({ avatar_id: 'ada', session });
    expect(live.info.model).toBe('ada');
    live.close();
  });

  it('is not renewed again if the new one is rejected too', async () => {
    const expired = await test.token(aUser(), project_id);
    test.clock.advance(DAY);
    const asked: number[] = [];
    const chat = client({ getToken: async () => (asked.push(1), expired) });
    await expect(chat.connect()).rejects.toMatchObject({ code: 'token_expired', status: 403 });
    expect({ asked: asked.length, connections: count('GET /connection') }).toEqual({ asked: 2, connections: 2 });
  });

  it('is not renewed for a 401', async () => {
    const chat = client({ getToken: async () => 'no.token.atall' });
    await expect(chat.connect()).rejects.toMatchObject({ code: 'invalid_token', status: 401 });
    expect(count('GET /connection')).toBe(1);
  });

  it('may come from another server, whose error is passed on unchanged', async () => {
    const user_id = aUser();
    let fails = true;
    const getToken = () => (fails ? Promise.reject(new RangeError('not today')) : test.token(user_id, project_id));
    const chat = client({ user_id, getToken });
    await expect(chat.page()).rejects.toThrow(RangeError);
    fails = false;
    expect(await chat.page()).toEqual({ payload: [], has_more_messages: false });
    expect(count('POST /jwt')).toBe(0);
  });

  it('is fetched again after a transient error', async () => {
    proxy.injectFaults(/jwt/, 'drop', { status: 503, headers: { 'retry-after': '0' } });
    expect(await client().page()).toMatchObject({ payload: [] });
    expect(count('POST /jwt')).toBe(3);
  });
});

describe('an error', () => {
  it.each([
    ['from the service', { project_id: 'nowhere' }, { code: 'project_not_found', status: 401 }],
    ['about an argument', { user_id: 'a b' }, { code: 'invalid_user_id', status: 400 }],
  ])('%s has a code, a status, a message and a request id', async (_, options, expected) => {
    await expect(client(options).connect()).rejects.toMatchObject({
      ...expected,
      name: 'AvatarChatError',
      message: expect.stringMatching(/\.$/),
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  it('of a proxy is distinguished from one of the service', async () => {
    proxy.injectFaults(/connection/, { status: 418, body: '{"error":"teapot"}' });
    await expect(client().connect()).rejects.toMatchObject({ code: 'bad_response', status: 418 });
  });

  it('is raised for a response that is not JSON', async () => {
    proxy.injectFaults(/connection/, { status: 200, body: '<h1>Welcome to the hotel' });
    await expect(client().connect()).rejects.toMatchObject({ code: 'bad_response' });
  });

  it('is raised if the service cannot be reached', async () => {
    const chat = client({ retries: 1 });
    await proxy.stop();
    await expect(chat.connect()).rejects.toMatchObject({ code: 'network_error', status: 0 });
    await proxy.start();
    expect(await chat.connect()).toMatchObject({ status: 200 });
  });

  it('is raised after a timeout', async () => {
    proxy.injectFaults(/connection/, 'silence');
    await expect(client({ timeout: 100, retries: 0 }).connect()).rejects.toMatchObject({
      code: 'network_error',
      message: expect.stringMatching(/too long/),
    });
  });
});

describe('a route of a module', () => {
  const echo = (path: string, options = {}) => client().request<any>(`/echo/${path}`, options);

  it('is called with the token, and returns JSON', async () => {
    const user_id = aUser();
    const chat = client({ user_id });
    expect(await chat.request('/echo/here?a=1')).toMatchObject({ method: 'GET', user_id, query: { a: '1' } });
    expect(await chat.request('echo/here', { body: { b: 2 } })).toMatchObject({ method: 'POST', body: { b: 2 } });
    expect(
      await chat.request('/echo/here', {
        method: 'put',
        body: '{"c":3}',
        headers: { 'content-type': 'application/json' },
      }),
    ).toMatchObject({ method: 'PUT', body: { c: 3 } });
    expect(await chat.request('/echo/nothing', { method: 'DELETE' })).toBeUndefined();
    expect(count('POST /jwt')).toBe(1);
  });

  it('renews the token, and overrides an Authorization header', async () => {
    const chat = client();
    await chat.request('/echo/here');
    test.clock.advance(DAY);
    expect(await chat.request('/echo/here', { headers: { authorization: 'Bearer a.b.c' } })).toMatchObject({
      method: 'GET',
    });
    expect(count('POST /jwt')).toBe(2);
  });

  it.each(['https://example.org/echo', '//example.org/echo', 'data:,', 'http://127.0.0.1:1/echo'])(
    'has to be on the same origin: %s is not called',
    async (path) => {
      const called: string[] = [];
      const chat = client({
        fetch: async (url) => (called.push(String(url)), Promise.reject(new TypeError('none'))),
        retries: 0,
      });
      const refusal = (await chat.request(path).catch((error: unknown) => error)) as Error;
      if (path.startsWith('//')) expect(called.every((url) => url.startsWith(`${proxy.url}/`))).toBe(true);
      else expect({ called, name: refusal.constructor.name }).toEqual({ called: [], name: 'TypeError' });
    },
  );

  it('takes no stream, which could not be sent again', async () => {
    const body = new Blob(['{}']).stream();
    await expect(client().request('/echo/here', { body })).rejects.toThrow('A stream cannot be sent');
    expect(count('POST /echo/here')).toBe(0);
  });

  it('does not follow a redirect to another origin', async () => {
    await expect(client({ retries: 0 }).request('/echo/elsewhere')).rejects.toMatchObject({ code: 'network_error' });
  });

  it('is retried if that is safe', async () => {
    proxy.injectFaults(/\/echo/, 'drop');
    expect(await echo('here')).toMatchObject({ method: 'GET' });
    proxy.injectFaults(/\/echo/, 'drop');
    expect(await echo('here', { body: {}, headers: { 'Idempotency-Key': 'k' } })).toMatchObject({ method: 'POST' });
    proxy.injectFaults(/\/echo/, 'drop');
    await expect(echo('here', { body: {} })).rejects.toMatchObject({ code: 'network_error' });
    proxy.injectFaults(/\/echo/, { status: 503 });
    expect(await echo('here', { body: {} })).toMatchObject({ method: 'POST' });
  });

  it('can be called by other means, with token()', async () => {
    const chat = client();
    const token = await chat.token();
    expect(await chat.token()).toBe(token);
    const [renewed] = await Promise.all([chat.token(token), chat.token(token)]);
    expect(renewed).not.toBe(token);
    expect(await chat.token(token)).toBe(renewed);
    expect(count('POST /jwt')).toBe(2);
  });
});

describe('a transient error', () => {
  it('is retried a limited number of times', async () => {
    proxy.injectFaults(/connection/, 'drop', { status: 502 }, { status: 503 });
    const chat = client();
    await expect(chat.connect()).rejects.toMatchObject({ status: 503 });
    expect(count('GET /connection')).toBe(3);
    expect(await chat.connect()).toMatchObject({ status: 200 });
  });

  it('is not retried if the wait would be long; the error has its length', async () => {
    proxy.injectFaults(/connection/, { status: 429, headers: { 'retry-after': '60' } });
    await expect(client().connect()).rejects.toMatchObject({ status: 429, retryAfter: 60 });
    expect(count('GET /connection')).toBe(1);
  });

  it('may have to wait until a date', async () => {
    const date = new Date(Date.now() + 60_000).toUTCString();
    proxy.injectFaults(/connection/, { status: 429, headers: { 'retry-after': date } });
    const error = (await client()
      .connect()
      .catch((reason: unknown) => reason)) as { retryAfter: number };
    expect(error.retryAfter).toBeGreaterThan(50);
    expect(error.retryAfter).toBeLessThanOrEqual(60);
    proxy.injectFaults(/connection/, { status: 503, headers: { 'retry-after': new Date(0).toUTCString() } });
    expect(await client().connect()).toMatchObject({ status: 200 });
  });

  it('is retried after the time in Retry-After', async () => {
    proxy.injectFaults(/connection/, { status: 503, headers: { 'retry-after': '1' } });
    const begun = Date.now();
    await client().connect();
    expect(Date.now() - begun).toBeGreaterThanOrEqual(990);
  });
});

describe('a turn', () => {
  it('returns both messages', async () => {
    const { outgoing, incoming } = await client().turn(say('Hello'));
    expect([outgoing.direction, incoming!.answer]).toEqual(['outgoing', 'You said: Hello']);
  });

  it.each<[string, Parameters<Proxy['injectFaults']>[1][]]>([
    ['lost on the way to the service', ['drop']],
    ['answered after the connection was lost', ['lose', 'lose']],
    ['rejected temporarily', [{ status: 503, headers: { 'retry-after': '0' } }, { status: 429 }]],
    ['cut off', [{ cutAfter: /outgoing/ }]],
  ])('that is %s is stored once', async (_, faults) => {
    for (const way of ['turn', 'stream'] as const) {
      const chat = client();
      proxy.injectFaults(/POST \/chat/, ...faults);
      if (way === 'turn') await chat.turn(say('Hello'));
      else expect(told(await collect(chat.stream(say('Hello'))))).toBe('You said: Hello');
      expect((await chat.page()).payload.map(({ direction }) => direction)).toEqual(['incoming', 'outgoing']);
    }
  });

  it('that failed in the engine is retried', async () => {
    const order = `fail-once ${aUser()}`;
    expect((await client().turn(say(order))).incoming!.answer).toBe(`You said: ${order}`);
    await expect(client({ retries: 0 }).turn(say('fail'))).rejects.toMatchObject({
      code: 'engine_failed',
      status: 502,
    });
  });

  it('may have an idempotency key, which is bound to its text', async () => {
    const chat = client();
    const options = { idempotencyKey: 'mine' };
    const first = await chat.turn(say('One'), options);
    expect(await chat.turn(say('One'), options)).toEqual(first);
    await expect(chat.turn(say('Two'), options)).rejects.toMatchObject({ code: 'idempotency_key_reused' });
  });

  it('accepts a recording, and its answer is spoken', async () => {
    const chat = client();
    const file = new Blob([new Uint8Array(aRecording())]);
    proxy.injectFaults(/POST \/chat/, 'lose');
    const { outgoing, incoming } = await chat.turn({ ...say('Good morning'), file });
    expect(outgoing).toMatchObject({ chat_type: 'voice', fileUrl: expect.stringContaining('/files/') });
    const { seconds, phonemes } = await chat.speech(incoming!.fileUrl!);
    expect(seconds).toBeGreaterThan(0.5);
    expect(phonemes.length).toBeGreaterThan(5);
    await expect(chat.turn({ avatar_id: 'puppet', file })).rejects.toMatchObject({ code: 'no_transcript' });
  });
});

describe('a stream', () => {
  it('yields the events of the turn in order', async () => {
    const events = await collect(client().stream(say('count 3')));
    expect(events.map(({ event }) => event)).toEqual(['outgoing', 'delta', 'delta', 'delta', 'incoming']);
    expect(told(events)).toBe('1 2 3 ');
    expect(events.at(-1)).toMatchObject({ message: { answer: '1 2 3 ' } });
  });

  it('that breaks midway restarts its answer, with what was generated until then', async () => {
    proxy.injectFaults(/POST \/chat/, { cutAfter: /"2 "/ });
    const events = await collect(client().stream(say('count 4')));
    const names = events.map(({ event }) => event);
    expect(names.slice(0, 2)).toEqual(['outgoing', 'delta']);
    expect(names.filter((name) => !['delta'].includes(name))).toEqual([
      'outgoing',
      'restart',
      'interrupted',
      'incoming',
    ]);
    expect(events.at(-1)).toMatchObject({ message: { answer: told(events) } });
  });

  it('that fails throws the error of the service', async () => {
    const events = client({ retries: 0 }).stream(say('die 2'));
    await expect(collect(events)).rejects.toMatchObject({ code: 'engine_failed', status: 502 });
  });

  it('that the caller leaves interrupts the avatar', async () => {
    const chat = client();
    const order = `count 999 ${aUser()}`;
    for await (const event of chat.stream(say(order))) if (event.event === 'delta') break;
    const { stopped } = test.app.get(PuppetEngine);
    while (!stopped.includes(order)) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(stopped).toContain(order);
  });
});

describe('the history', () => {
  it('yields each message once, even if others arrive meanwhile', async () => {
    const chat = client();
    for (let n = 1; n <= 5; n++) await chat.turn(say(`${n}`));
    const seen: string[] = [];
    for await (const { _id, request } of chat.history({ per_page: 3 })) {
      seen.push(`${request} ${_id}`);
      if (seen.length === 2) await chat.turn(say('6'));
    }
    expect(seen.map((line) => line.split(' ')[0])).toEqual(['5', '5', '4', '4', '3', '3', '2', '2', '1', '1']);
    expect(new Set(seen).size).toBe(10);
  });

  it('continues from a message', async () => {
    const chat = client();
    const { outgoing } = await chat.turn(say('1')).then(() => chat.turn(say('2')));
    expect((await collect(chat.history({ before: outgoing._id }))).map(({ request }) => request)).toEqual(['1', '1']);
  });
});

describe('an abort', () => {
  const reason = new Error('enough');

  it.each<[string, (chat: AvatarChat, signal: AbortSignal) => Promise<unknown>]>([
    ['a connection', (chat, signal) => chat.connect({ signal })],
    ['a turn', (chat, signal) => chat.turn(say('Hello'), { signal })],
    ['a stream', (chat, signal) => collect(chat.stream(say('Hello'), { signal }))],
    ['the history', (chat, signal) => collect(chat.history({ signal }))],
  ])('rejects %s with its reason', async (_, call) => {
    await expect(call(client(), AbortSignal.abort(reason))).rejects.toBe(reason);
    proxy.injectFaults(/^GET|POST .chat/, 'silence');
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), 200);
    await expect(call(client(), controller.signal)).rejects.toBe(reason);
  });

  it('ends the wait before a retry', async () => {
    proxy.injectFaults(/connection/, { status: 503, headers: { 'retry-after': '10' } });
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), 200);
    await expect(client().connect({ signal: controller.signal })).rejects.toBe(reason);
  });

  it('of one request does not affect a token that others wait for', async () => {
    const chat = client();
    const controller = new AbortController();
    const given = chat.page({ signal: controller.signal });
    const other = chat.page();
    controller.abort(reason);
    await expect(given).rejects.toBe(reason);
    expect(await other).toMatchObject({ payload: [] });
    expect(count('POST /jwt')).toBe(1);
  });
});

it('reports each exchange, without a token', async () => {
  const reports: ExchangeReport[] = [];
  const chat = client({ onExchange: (report) => reports.push(report) });
  await chat.connect();
  test.clock.advance(DAY);
  proxy.injectFaults(/connection/, 'drop');
  await chat.connect();
  expect(reports.map(({ method, path, status }) => `${method} ${path} ${status}`)).toEqual([
    'POST /jwt 200',
    'GET /connection 200',
    'GET /connection 0',
    'GET /connection 403',
    'POST /jwt 200',
    'GET /connection 200',
  ]);
  expect(JSON.stringify(reports)).not.toContain('eyJ');
});
