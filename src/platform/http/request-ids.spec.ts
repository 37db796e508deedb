import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { currentTrace } from 'avatar-chat-runtime';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { releaseTraces, traceOf, traceRequests } from './request-ids.js';

let disable: jest.SpyInstance;
let fastify: FastifyInstance;
beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  disable = jest.spyOn(AsyncLocalStorage.prototype, 'disable');
  fastify = Fastify();
  traceRequests(fastify);
});
afterEach(async () => {
  jest.runAllTimers();
  jest.useRealTimers();
  disable.mockRestore();
  await fastify.close();
});

const answer = (request: FastifyRequest) =>
  nextTurn().then(() => ({ isOwn: currentTrace() === traceOf(request), released: disable.mock.calls.length }));

describe('the trace of a request, which slows down each promise of the process', () => {
  it.each(['HEAD', 'OPTIONS'] as const)('is not followed after the end of %s', async (method) => {
    fastify.route({ method, url: '/', handler: answer });
    expect((await fastify.inject({ method, url: '/' })).statusCode).toBe(200);
    expect(disable).toHaveBeenCalledTimes(1);
  });

  it('is followed to the end of a read, and no longer', async () => {
    fastify.get('/', answer);
    expect((await fastify.inject('/')).json()).toEqual({ isOwn: true, released: 0 });
    expect(disable).toHaveBeenCalledTimes(1);
  });

  it('is followed for a moment after the end of what changes something', async () => {
    fastify.post('/', answer);
    expect((await fastify.inject({ method: 'POST', url: '/' })).json()).toEqual({ isOwn: true, released: 0 });
    jest.advanceTimersByTime(4000);
    expect(disable).not.toHaveBeenCalled();
    jest.advanceTimersByTime(2000);
    expect(disable).toHaveBeenCalledTimes(1);
  });

  it('is not followed while a stream is open', async () => {
    fastify.get('/', (request) => {
      releaseTraces(request);
      return answer(request);
    });
    expect((await fastify.inject('/')).json()).toEqual({ isOwn: false, released: 1 });
  });
});
