import { PassThrough } from 'node:stream';
import { Body, Controller, Logger, Module, Post } from '@nestjs/common';
import { Config, Public } from '../../src/index.js';
import { createLogger } from '../../src/platform/logging/index.js';
import { createTestApp as createApp } from '../../src/testing/index.js';
import { ConnectionService } from '../../src/connection/connection.service.js';
import { aUser, rawRequest, type TestApp } from '../support/index.js';

const ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${ID}-00f067aa0ba902b7-01`;

@Public()
@Controller('written')
class WritingController {
  @Post()
  async write(@Body() body: unknown): Promise<object> {
    await new Promise((resolve) => setImmediate(resolve));
    new Logger('Writing').warn('from within');
    return { isBody: typeof body === 'object' };
  }
}

@Module({ controllers: [WritingController] })
class WritingModule {}

type Line = { msg?: string; route?: string; request_id?: string; trace_id: string };

const written = new PassThrough();
let port: number;
let test: TestApp;
beforeAll(async () => {
  const logger = createLogger(new Config({ logLevel: 'info' }), written);
  test = await createApp({ modules: [WritingModule], logger });
  port = await test.listen();
});
afterAll(() => test.close());

/** The lines since the last call. */
const lines = (): Line[] =>
  String(written.read() ?? '')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const post = (headers: Record<string, string>, body = '{}') =>
  fetch(`http://127.0.0.1:${port}/written`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });

describe('the id of a request', () => {
  it.each(['a', 'x'.repeat(128), '7b0e7c1e-5f4b-4a53-9d0c-0f6f8a2f7c11', '!"#$%&~'])(
    'is that of the client: %s',
    async (id) => {
      const refused = await post({ 'x-request-id': id }, '{');
      expect(refused.headers.get('x-request-id')).toBe(id);
      expect(await refused.json()).toMatchObject({ error: 'invalid_json', request_id: id });
      expect(lines().map(({ request_id }) => request_id)).toContain(id);
    },
  );

  it.each(['x'.repeat(129), 'a b', 'caf\u00e9', 'tab\tbed'])('is new if that is something else: %s', async (id) => {
    const { headers } = await post({ 'x-request-id': id });
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('is taken over in refusals of Node too, and not if it is given twice', async () => {
    const head = 'GET /health/live HTTP/1.1\r\nHost: x\r\nX-Request-Id: one\r\n';
    expect((await rawRequest(port, `${head}Expect: wonders\r\n\r\n`)).headers['x-request-id']).toBe('one');
    const twice = await rawRequest(port, `${head}X-Request-Id: two\r\nConnection: close\r\n\r\n`);
    expect(twice.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('log lines', () => {
  it('have the trace id of their request, within it and at its end', async () => {
    lines();
    await Promise.all([
      post({ traceparent: TRACEPARENT }),
      post({}),
      post({ traceparent: `ff${TRACEPARENT.slice(2)}` }),
    ]);
    const found = lines();
    const ids = found.filter(({ msg }) => msg === 'from within').map(({ trace_id }) => trace_id);
    expect(ids).toHaveLength(3);
    expect(new Set(ids).size).toBe(3);
    expect(ids).toContain(ID);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/);
    const access = found.filter(({ route }) => route === '/written').map(({ trace_id }) => trace_id);
    expect(access.sort()).toEqual(ids.sort());
  });

  it('have it in errors of requests that log nothing else', async () => {
    jest.spyOn(test.app.get(ConnectionService), 'open').mockRejectedValueOnce(new Error('x'));
    lines();
    const authorization = `Bearer ${await test.token(aUser())}`;
    const { status } = await test.call({ path: '/connection', headers: { authorization, traceparent: TRACEPARENT } });
    expect(status).toBe(500);
    expect(lines().filter(({ trace_id }) => trace_id === ID)).toEqual([
      expect.objectContaining({ msg: 'request failed' }),
      expect.objectContaining({ route: '/connection' }),
    ]);
  });

  it('have one outside of requests too', () => {
    lines();
    new Logger('Background').warn('from outside');
    expect(lines()).toEqual([expect.objectContaining({ trace_id: expect.stringMatching(/^[0-9a-f]{32}$/) })]);
  });
});
