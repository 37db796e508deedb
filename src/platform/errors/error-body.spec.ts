import { mongo } from 'mongoose';
import { BadRequestException, ConflictException, HttpException } from '@nestjs/common';
import { DatabaseUnavailableError } from '../database/index.js';
import { asServiceError, errorOfStatus } from './error-body.js';
import { ServiceError } from './service-error.js';

const outcome = (error: unknown) => {
  const { status, code } = asServiceError(error);
  return `${status} ${code}`;
};

/** As if its class was loaded from another directory. */
const foreign = (exception: HttpException) =>
  Object.assign(new Error(exception.message), {
    getStatus: () => exception.getStatus(),
    getResponse: () => exception.getResponse(),
  });

describe('maps any error to one with a code', () => {
  it.each<[string, unknown, string]>([
    ['an error of the service', new ServiceError(409, 'taken', 'It is taken.'), '409 taken'],
    ['an expired token', new ServiceError(403, 'token_expired', 'x'), '403 token_expired'],
    ['any other 403', new ServiceError(403, 'not_yours', 'x'), '401 forbidden'],
    ['a 403 of Nest', new HttpException('x', 403), '401 forbidden'],
    ['an exception with a code', new HttpException({ error: 'too_old', message: 'x' }, 410), '410 too_old'],
    [
      'an exception with text as its code',
      new HttpException({ error: 'Gone Away', message: 'x' }, 409),
      '409 conflict',
    ],
    ['an exception with a status that the service does not use', new HttpException('x', 418), '418 im_a_teapot'],
    ['an exception of another copy of Nest', foreign(new HttpException('x', 402)), '402 payment_required'],
    ['an exception with a status that has no text', new HttpException('x', 499), '499 bad_request'],
    ['a server error exception', new HttpException('x', 501), '501 not_implemented'],
    ['an exception with a status below 400', new HttpException('x', 302), '500 internal_error'],
    [
      'an error of Fastify',
      Object.assign(new Error('x'), { code: 'FST_ERR_X', statusCode: 413 }),
      '413 payload_too_large',
    ],
    [
      'an error that only resembles one of Fastify',
      Object.assign(new Error('x'), { code: 'OTHER', statusCode: 413 }),
      '500 internal_error',
    ],
    ['an unavailable database', new DatabaseUnavailableError(), '503 service_unavailable'],
    ['a network error of the driver', new mongo.MongoNetworkError('x'), '503 service_unavailable'],
    [
      'a network error in a bulk write',
      new mongo.MongoBulkWriteError(new mongo.MongoNetworkError('x') as never, {} as never),
      '503 service_unavailable',
    ],
    ['a primary that steps down', new mongo.MongoServerError({ message: 'x', code: 189 }), '503 service_unavailable'],
    [
      'an error returned by the server',
      new mongo.MongoServerError({ message: 'x', code: 11_000 }),
      '500 internal_error',
    ],
    [
      'a pool that was cleared',
      Object.assign(new Error('x'), { name: 'MongoPoolClearedError' }),
      '503 service_unavailable',
    ],
    ['a bug', new TypeError('x'), '500 internal_error'],
    ['a text', 'x', '500 internal_error'],
    ['nothing', undefined, '500 internal_error'],
  ])('%s', (_, error, expected) => {
    expect(outcome(error)).toBe(expected);
  });

  it.each<[string, HttpException, string]>([
    ['its text', new HttpException('No seat is left', 409), 'No seat is left'],
    ['that of its object', new ConflictException('No seat is left'), 'No seat is left'],
    ['those of its list', new BadRequestException(['a is bad', 'b is bad']), 'a is bad; b is bad'],
    ['its own, if its object has none', new HttpException({ error: 'taken' }, 409), 'Http Exception'],
  ])('an exception of Nest keeps its message: %s', (_, exception, message) => {
    expect(asServiceError(exception).message).toBe(message);
  });

  it('has Retry-After if a retry can succeed later', () => {
    expect(errorOfStatus(503).headers).toEqual({ 'Retry-After': '1' });
    expect(asServiceError(new HttpException('x', 503)).headers).toEqual({ 'Retry-After': '1' });
  });
});
