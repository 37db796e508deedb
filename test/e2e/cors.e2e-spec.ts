import { Controller, Delete, Module, Put } from '@nestjs/common';
import { anyServer, createTestApp, type TestApp } from '../support/index.js';

const PAGE = 'https://page.test';

let test: TestApp;
beforeAll(async () => (test = await createTestApp({ server: anyServer(), config: { corsOrigins: [PAGE] } })));
afterAll(() => test.close());

/** With methods that no route of the service has. */
@Controller('seats')
class SeatsController {
  @Put()
  take(): void {}
  @Delete()
  leave(): void {}
}

@Module({ controllers: [SeatsController] })
class SeatsModule {}

it('a page may use the methods of modules, and configured ones', async () => {
  const config = { corsOrigins: [PAGE], corsMethods: ['report'], corsHeaders: ['X-Seat', 'authorization'] };
  const seats = await createTestApp({ server: anyServer(), modules: [SeatsModule], config });
  const headers = { origin: PAGE, 'access-control-request-method': 'PUT' };
  expect((await seats.call({ method: 'OPTIONS', path: '/seats', headers })).headers).toMatchObject({
    'access-control-allow-methods': 'GET, HEAD, POST, PUT, DELETE, REPORT',
    'access-control-allow-headers':
      'authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-OpenAI-Agents-SDK, X-Seat',
  });
  await seats.close();
});

describe('a page of an allowed origin', () => {
  it('gets the allowed methods and headers, with a request id', async () => {
    const headers = {
      origin: PAGE,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    };
    const answer = await test.call({ method: 'OPTIONS', path: '/chat', headers });
    expect(answer.status).toBe(204);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': PAGE,
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, DELETE',
      'access-control-allow-headers':
        'Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-OpenAI-Agents-SDK',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  it('can read responses and errors', async () => {
    const error = await test.call({ path: '/chat', headers: { origin: PAGE } });
    expect(error).toMatchObject({ status: 401, headers: { 'access-control-allow-origin': PAGE } });
    const exposed = String(error.headers['access-control-expose-headers']).split(', ');
    expect(exposed).toEqual(expect.arrayContaining(['X-Request-Id', 'Retry-After', 'RateLimit-Remaining']));
  });
});

it('a page of another origin gets no CORS headers', async () => {
  const answer = await test.call({
    method: 'OPTIONS',
    path: '/chat',
    headers: { origin: 'https://other.test', 'access-control-request-method': 'POST' },
  });
  expect(answer.headers['access-control-allow-origin']).not.toBe('https://other.test');
  expect(
    (await test.call({ path: '/health/live', headers: { origin: 'https://other.test' } })).headers[
      'access-control-allow-origin'
    ],
  ).toBeUndefined();
});
