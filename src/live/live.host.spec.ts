import { Logger } from '@nestjs/common';
import { DatabaseUnavailableError } from '../platform/database/index.js';
import { failure } from '../platform/errors/index.js';
import { errorEvent, LiveError } from 'avatar-chat-realtime';
import { LIVE_HOST } from './live.host.js';

const { asLiveError } = LIVE_HOST;
let errors: unknown[];
beforeEach(() => {
  errors = [];
  jest.spyOn(Logger.prototype, 'error').mockImplementation((line: unknown) => void errors.push(line));
});
afterEach(() => jest.restoreAllMocks());

it.each([
  [failure('rate_limited', 1), 'rate_limit_error', 'rate_limited'],
  [failure('invalid_avatar_id'), 'invalid_request_error', 'invalid_avatar_id'],
  [failure('engine_failed'), 'server_error', 'engine_failed'],
  [new DatabaseUnavailableError(), 'server_error', 'service_unavailable'],
  [new Error('secret'), 'server_error', 'internal_error'],
  [new LiveError('nothing_to_answer', 'There is nothing.'), 'invalid_request_error', 'nothing_to_answer'],
])('%s is a %s', (error, type, code) => {
  expect(asLiveError(error)).toMatchObject({ type, code, message: expect.not.stringContaining('secret') });
});

it('the text of an error says when to try again, since an event has no headers', () => {
  expect(asLiveError(failure('rate_limited', 17)).message).toMatch(/Retry-After: 17$/);
  expect(asLiveError(failure('engine_failed')).message).not.toContain('Retry-After');
});

it("logs errors that are nobody's fault but ours, without their messages", () => {
  for (const error of [failure('engine_failed'), new DatabaseUnavailableError(), new TypeError('secret')])
    asLiveError(error);
  expect(errors).toEqual([expect.objectContaining({ error: 'TypeError' })]);
  expect(JSON.stringify(errors)).not.toContain('secret');
});

it.each([
  ['mine', 'mine'],
  [7, null],
  [undefined, null],
])('an event_id %j is returned as %j', (given, told) => {
  expect(errorEvent(asLiveError(new Error('x')), given)).toMatchObject({
    type: 'error',
    error: { event_id: told, param: null },
  });
});
