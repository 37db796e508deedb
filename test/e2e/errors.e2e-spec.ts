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
import { anyServer, type Call, createTestApp, type TestApp } from '../support/index.js';

/** Errors that a module of another team might throw. */
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
      bad: new BadRequestException('The colour is not one of ours.'),
      missing: new NotFoundException(),
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
  port = await test.listen();
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
    ['a long name in a path', { path: `/files/${'x'.repeat(5000)}` }, 404, 'file_not_found'],
    ['a long URL', { path: `/chat?user_id=${'x'.repeat(9000)}` }, 414, 'uri_too_long'],
    ['an error of a module', { path: '/foreign/plain' }, 500, 'internal_error'],
    ['a thrown string', { path: '/foreign/string' }, 500, 'internal_error'],
    ['a thrown undefined', { path: '/foreign/nothing' }, 500, 'internal_error'],
    ['an error of the driver', { path: '/foreign/driver' }, 500, 'internal_error'],
    ['a ServiceError of a module', { path: '/foreign/own' }, 409, 'already_rated'],
    ['an exception with a code', { path: '/foreign/coded' }, 404, 'no_rating'],
    ['a forbidding exception', { path: '/foreign/forbidden' }, 401, 'forbidden'],
    ['a forbidding ServiceError', { path: '/foreign/own-forbidden' }, 401, 'forbidden'],
    ['a bad request of a module', { path: '/foreign/bad' }, 400, 'bad_request'],
    ['a not found of a module', { path: '/foreign/missing' }, 404, 'not_found'],
    ['a status that the service never uses', { path: '/foreign/teapot' }, 418, 'im_a_teapot'],
    ['a 503 of a module', { path: '/foreign/unavailable' }, 503, 'service_unavailable'],
  ])('for %s has the common error body', async (_, call, status, error) => {
    const answer = await test.call(call);
    expect(answer).toMatchObject({ status, body: { error } });
    expect(answer.text).not.toMatch(/secret|password/);
  });

  it.each<[Call['method'], string, string]>([
    ['GET', '/jwt', 'POST'],
    ['PUT', '/jwt', 'POST'],
    ['DELETE', '/chat', 'GET, HEAD, POST'],
    ['POST', '/connection', 'GET, HEAD'],
    ['OPTIONS', '/connection', 'GET, HEAD'],
    ['PATCH', '/health/live', 'GET, HEAD'],
    ['QUERY', '/chat', 'GET, HEAD, POST'],
    ['POST', '/foreign/plain', 'GET, HEAD'],
  ])('for %s %s lists the allowed methods', async (method, path, allow) => {
    const answer = await test.call({ method, path });
    expect(answer).toMatchObject({ status: 405, body: { error: 'method_not_allowed' } });
    expect(answer.headers.allow).toBe(allow);
  });

  it('of Nest keeps its message', async () => {
    expect((await test.call({ path: '/foreign/bad' })).body.message).toBe('The colour is not one of ours.');
  });

  it('has the headers that it was thrown with', async () => {
    expect((await test.call({ path: '/foreign/own' })).headers['x-hint']).toBe('one');
    expect((await test.call({ path: '/foreign/unavailable' })).headers['retry-after']).toBe('1');
  });

  it('for a HEAD has no body', async () => {
    const response = await fetch(`http://127.0.0.1:${port}/nowhere`, { method: 'HEAD' });
    expect({ status: response.status, text: await response.text() }).toEqual({ status: 404, text: '' });
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });
});
