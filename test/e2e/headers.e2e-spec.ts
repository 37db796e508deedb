import { Controller, Get, Header, Module } from '@nestjs/common';
import { Public } from '../../src/index.js';
import { type Answer, anyServer, type Call, createTestApp, rawRequest, type TestApp } from '../support/index.js';

@Public()
@Controller('foreign')
class ForeignController {
  @Get('page')
  @Header('Content-Type', 'text/html; charset=utf-8')
  page(): string {
    return '<!doctype html><title>A page of a module</title>';
  }

  @Get('kept')
  @Header('Cache-Control', 'public, max-age=60')
  kept(): string {
    return 'kept';
  }
}

@Module({ controllers: [ForeignController] })
class ForeignModule {}

const ADMIN_KEY = 'an admin key of this test'.replaceAll(' ', '-').padEnd(32, 'x');
const routes: { method: string; url: string }[] = [];
let test: TestApp;
let port: number;
beforeAll(async () => {
  test = await createTestApp({
    server: anyServer(),
    config: { demo: true, adminKey: ADMIN_KEY, corsOrigins: ['https://site.test'] },
    modules: [ForeignModule],
    onAdapter: (adapter) =>
      adapter.getInstance().addHook('onRoute', ({ method, url }) => {
        for (const one of [method].flat()) routes.push({ method: one, url });
      }),
  });
  port = await test.listen();
});
afterAll(() => test.close());

/** Cacheable responses, and for whom. */
const MAY_BE_KEPT = /^\/(assets\/|docs\/|demo\/|index\.html$|console\/|widget(\.\w+)?\.js$|foreign\/kept$|$)/;

function expectHeaders(path: string, { status, headers }: Answer): void {
  const cacheable = MAY_BE_KEPT.test(path) && status < 400;
  expect({
    path,
    status,
    nosniff: headers['x-content-type-options'],
    stored: headers['cache-control'],
  }).toEqual({
    path,
    status,
    nosniff: 'nosniff',
    stored: cacheable ? expect.stringMatching(/^public, max-age=\d+$|^no-store$/) : expect.stringMatching(/^no-store/),
  });
}

describe('every response states its type and whether it may be cached', () => {
  it('on every route, for every client', async () => {
    const known = routes.filter(({ url }) => !url.includes('*'));
    expect(known.length).toBeGreaterThan(40);
    for (const { method, url } of known) {
      const path = url.replace(/:\w+/g, 'x');
      expectHeaders(path, await test.call({ method: method as Call['method'], path }));
    }
  });

  it.each<[string, () => Promise<Answer>]>([
    ['a token', () => test.call({ method: 'POST', path: '/jwt', body: { user_id: 'ann' } })],
    ['a configuration', async () => test.call({ path: '/connection', token: await test.token('ann') })],
    ['its head', async () => test.call({ method: 'HEAD', path: '/connection', token: await test.token('ann') })],
    ['a history', async () => test.call({ path: '/chat?user_id=ann', token: await test.token('ann') })],
    [
      'a turn',
      async () =>
        test.call({
          method: 'POST',
          path: '/chat',
          token: await test.token('ann'),
          body: { avatar_id: 'ada', request: 'hello' },
        }),
    ],
    [
      'a streamed turn',
      async () =>
        test.call({
          method: 'POST',
          path: '/chat',
          token: await test.token('ann'),
          headers: { accept: 'text/event-stream' },
          body: { avatar_id: 'ada', request: 'hello' },
        }),
    ],
    ['a project', () => test.call({ path: '/admin/projects/default', token: ADMIN_KEY })],
    ['a catalogue', () => test.call({ path: '/admin/catalogue', token: ADMIN_KEY })],
    ['an export', () => test.call({ path: '/admin/messages?project_id=default&user_id=ann', token: ADMIN_KEY })],
    ['a bad escape', () => test.call({ path: '/assets/%E0%A4%A' })],
    ['another method', () => test.call({ method: 'PATCH', path: '/chat' })],
    ['a method that only asks', () => test.call({ method: 'OPTIONS', path: '/chat' })],
    ['a missing asset', () => test.call({ path: '/assets/none.png' })],
    ['invalid HTTP', () => rawRequest(port, 'nonsense\r\n\r\n')],
    ['an expectation', () => rawRequest(port, 'GET /health/live HTTP/1.1\r\nHost: x\r\nExpect: nothing\r\n\r\n')],
  ])('for %s: not cacheable', async (what, ask) => {
    const { headers } = await ask();
    expect({ what, ...headers }).toMatchObject({
      what,
      'cache-control': expect.stringMatching(/^no-store/),
      'x-content-type-options': 'nosniff',
    });
  });

  it("and modules' own cache headers are kept", async () => {
    expect((await test.call({ path: '/foreign/kept' })).headers['cache-control']).toBe('public, max-age=60');
  });
});

it('assets can be cached and revalidated, and run no scripts', async () => {
  const path = '/assets/avatars/ada/portrait.svg';
  const first = await test.call({ path });
  expect(first).toMatchObject({
    status: 200,
    headers: {
      'cache-control': 'public, max-age=86400',
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
    },
  });
  const again = await test.call({ path, headers: { 'if-none-match': first.headers['etag']! } });
  expect(again).toMatchObject({ status: 304, headers: { 'cache-control': 'public, max-age=86400' } });
  const part = await test.call({ path, headers: { range: 'bytes=0-9' } });
  expect(part).toMatchObject({ status: 206, headers: { 'x-content-type-options': 'nosniff' } });
});

it.each(['/', '/docs', '/docs/', '/foreign/page'])(
  'the page %s cannot be framed, and leaks no referrer',
  async (path) => {
    const { status, headers } = await test.call({ path });
    expect({ path, status }).toEqual({ path, status: 200 });
    expect(headers).toMatchObject({ 'referrer-policy': 'same-origin', 'x-frame-options': 'DENY' });
    expect(headers['content-security-policy']).toMatch(/frame-ancestors 'none'/);
    expect(headers['content-security-policy']).not.toMatch(/script-src[^;]*unsafe/);
  },
);

describe('a page whose name resolves to this machine', () => {
  const ask = (host: string, line = 'POST /jwt') =>
    rawRequest(
      port,
      `${line} HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://${host}\r\nContent-Type: application/json\r\nContent-Length: 17\r\nConnection: close\r\n\r\n{"user_id":"ann"}`,
    );

  it('gets no token and no answer, and the names of this machine do', async () => {
    for (const line of ['POST /jwt', 'GET /health/live', 'GET /nowhere'])
      expect(await ask('rebound.example.org', line)).toMatchObject({ status: 400, body: { error: 'bad_request' } });
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, 'laptop'])
      expect(await ask(host)).toMatchObject({ status: 200, body: { result: 'success' } });
  });
});
