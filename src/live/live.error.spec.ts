import { failure } from '../platform/errors/index.js';
import { asLiveError, errorEvent, LiveError } from './live.error.js';

it.each([
  [failure('rate_limited', 1), 'rate_limit_error', 'rate_limited'],
  [failure('invalid_avatar_id'), 'invalid_request_error', 'invalid_avatar_id'],
  [failure('engine_failed'), 'server_error', 'engine_failed'],
  [new Error('secret'), 'server_error', 'internal_error'],
  [new LiveError('nothing_to_answer', 'There is nothing.'), 'invalid_request_error', 'nothing_to_answer'],
])('%s is a %s', (error, type, code) => {
  expect(asLiveError(error)).toMatchObject({ type, code, message: expect.not.stringContaining('secret') });
});

it.each([
  ['mine', 'mine'],
  [7, null],
  [undefined, null],
])('an event_id %j is returned as %j', (given, told) => {
  expect(errorEvent(new Error('x'), given)).toMatchObject({ type: 'error', error: { event_id: told, param: null } });
});
