import type { AddressInfo } from 'node:net';
import {
  BadRequestException,
  Controller,
  ForbiddenException,
  Get,
  HttpException,
  Module,
  NotFoundException,
  Param,
} from '@nestjs/common';
import { Public, ServiceError } from '../../src/index.js';
import { anyServer, assertErrorBody, type Call, createTestApp, rawRequest, type TestApp } from '../support/index.js';

/** What a module of another team might throw. */
@Public()
@Controller('foreign')
class ForeignController {
  @Get(':how')
  fail(@Param('how') how: string): never {
    const errors: Record<string, unknown> = {
      plain: new Error('the text of a message, a secret'),
      string: 'a string',
      nothing: undefined,
      driver: Object.assign(new Error('mongodb://user:password@host'), { name: 'MongoServerError', code: 50_000 }),
      own: new ServiceError(409, 'already_rated', 'This answer has been rated already.', { 'X-Hint': 'one' }),
      coded: new HttpException({ error: 'no_rating', message: 'There is no such rating.' }, 404),
      forbidden: new ForbiddenException(),
      'own-forbidden': new ServiceError(403, 'not_yours', 'This is not yours.'),
      bad: new BadRequestException('echo of the caller'),
      missing: new NotFoundException('Cannot GET /x?token=1'),
      teapot: new HttpException('teapot', 418),
      unavailable: new HttpException('x', 503),
    };
    throw errors[how];
  }
}

@Module({ controllers: [ForeignController] })
class ForeignModule {}

let test: TestApp;
let port: number;
beforeAll(async () => {
  test = await createTestApp({ server: anyServer(), modules: [ForeignModule] });
  await test.app.listen(0, '127.0.0.1');
  port = (test.app.getHttpServer().address() as AddressInfo).port;
});
afterAll(() => test.close());

describe('an error', () => {
  it.each<[string, Call, number, string]>([
    ['an unknown path', { path: '/nowhere' }, 404, 'not_found'],
    ['the root', { path: '/' }, 404, 'not_found'],
    ['a known path with a slash', { path: '/jwt/', method: 'POST' }, 404, 'not_found'],
    ['a known path in capitals', { path: '/JWT', method: 'POST' }, 404, 'not_found'],
    ['an asset that is not there', { path: '/assets/none.png' }, 404, 'not_found'],
    ['a path above the assets', { path: '/assets/..%2fpackage.json' }, 404, 'not_found'],
    ['a bad escape', { path: '/%zz' }, 400, 'bad_request'],
    ['a bad escape in a known path', { path: '/assets/%E0%A4%A' }, 400, 'bad_request'],
    ['a long URL', { path: `/chat?user_id=${'x'.repeat(9000)}` }, 414, 'uri_too_long'],
    ['an error of a module', { path: '/foreign/plain' }, 500, 'internal_error'],
    ['a string that was thrown', { path: '/foreign/string' }, 500, 'internal_error'],
    ['nothing that was thrown', { path: '/foreign/nothing' }, 500, 'internal_error'],
    ['an error of the driver', { path: '/foreign/driver' }, 500, 'internal_error'],
    ['a ServiceError of a module', { path: '/foreign/own' }, 409, 'already_rated'],
    ['an exception with a code', { path: '/foreign/coded' }, 404, 'no_rating'],
    ['a forbidding exception', { path: '/foreign/forbidden' }, 404, 'not_found'],
    ['a forbidding ServiceError', { path: '/foreign/own-forbidden' }, 404, 'not_found'],
    ['a bad request of a module', { path: '/foreign/bad' }, 400, 'bad_request'],
    ['a not found of a module', { path: '/foreign/missing' }, 404, 'not_found'],
    ['a status that has no code', { path: '/foreign/teapot' }, 400, 'bad_request'],
    ['an unavailability of a module', { path: '/foreign/unavailable' }, 503, 'service_unavailable'],
  ])('for %s has the one body', async (_, call, status, error) => {
    const answer = await test.call(call);
    expect(answer).toMatchObject({ status, body: { error } });
    expect(answer.text).not.toMatch(/secret|password|echo|Cannot|token=/);
  });

  it.each<[Call['method'], string, string]>([
    ['GET', '/jwt', 'POST'],
    ['PUT', '/jwt', 'POST'],
    ['DELETE', '/chat', 'GET, HEAD, POST'],
    ['POST', '/connection', 'GET, HEAD'],
    ['OPTIONS', '/connection', 'GET, HEAD'],
    ['PATCH', '/health/live', 'GET, HEAD'],
    ['POST', '/foreign/plain', 'GET, HEAD'],
  ])('for %s %s names the methods that are allowed', async (method, path, allow) => {
    const answer = await test.call({ method, path });
    expect(answer).toMatchObject({ status: 405, body: { error: 'method_not_allowed' } });
    expect(answer.headers.allow).toBe(allow);
  });

  it('carries the headers that it was thrown with', async () => {
    expect((await test.call({ path: '/foreign/own' })).headers['x-hint']).toBe('one');
    expect((await test.call({ path: '/foreign/unavailable' })).headers['retry-after']).toBe('1');
  });

  it('to a HEAD has no body', async () => {
    const response = await fetch(`http://127.0.0.1:${port}/nowhere`, { method: 'HEAD' });
    expect({ status: response.status, text: await response.text() }).toEqual({ status: 404, text: '' });
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('a request that never reaches the router', () => {
  const GET = 'GET /health/live HTTP/1.1\r\nHost: x\r\n';
  it.each<[string, string | Buffer, number, string]>([
    ['a request line that is not one', 'NONSENSE\r\n\r\n', 400, 'bad_request'],
    ['an unknown method', 'BREW /jwt HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'bad_request'],
    ['an unknown version', 'GET / HTTP/9.9\r\nHost: x\r\n\r\n', 400, 'bad_request'],
    ['no Host', 'GET /health/live HTTP/1.1\r\n\r\n', 400, 'bad_request'],
    ['random bytes', Buffer.from([0, 255, 1, 2, 13, 10, 13, 10]), 400, 'bad_request'],
    ['a header that is not one', `${GET}bad header\r\n\r\n`, 400, 'bad_request'],
    ['two lengths', `${GET}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`, 400, 'bad_request'],
    [
      'a length and chunks',
      'POST /jwt HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'bad_request',
    ],
    ['large headers', `${GET}X-Large: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'headers_too_large'],
    ['a long URL', `GET /${'x'.repeat(10_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 414, 'uri_too_long'],
    [
      'a URL longer than all headers may be',
      `GET /${'x'.repeat(40_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
      414,
      'uri_too_long',
    ],
    ['an expectation', `${GET}Expect: 200-maybe\r\n\r\n`, 417, 'expectation_failed'],
    ['a bad escape', 'GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'bad_request'],
    [
      'a body larger than it may be',
      `POST /jwt HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 70000\r\n\r\n`,
      413,
      'payload_too_large',
    ],
  ])('for %s is answered with the one body', async (_, bytes, status, error) => {
    const answer = await rawRequest(port, bytes);
    expect(answer).toMatchObject({ status, body: { error } });
    assertErrorBody(answer);
  });

  it('is answered 408 when its body does not come', async () => {
    const answer = await rawRequest(
      port,
      'POST /jwt HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{',
      20_000,
    );
    expect(answer).toMatchObject({ status: 408, body: { error: 'request_timeout' } });
    assertErrorBody(answer);
  }, 30_000);

  it('is met with 100 Continue where that is what it expects', async () => {
    const body = '{"user_id":"u"}';
    const head = `POST /jwt HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`;
    const answer = await rawRequest(port, head + body).catch((error: Error) => error.message);
    expect(JSON.stringify(answer)).toMatch(/100 Continue|success/);
  });

  it('leaves the service well', async () => {
    expect((await test.call({ path: '/health/ready' })).status).toBe(200);
  });
});
