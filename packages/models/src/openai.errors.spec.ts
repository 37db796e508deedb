import { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai';
import { MissingKeyError, reasonOf } from './openai.errors.js';

it.each<[unknown, string]>([
  [new MissingKeyError('PROVIDER_KEY'), 'the variable PROVIDER_KEY is not set'],
  [new APIError(429, undefined, 'secret', undefined), 'its server answered with status 429'],
  [new APIConnectionError({ message: 'secret' }), 'its server cannot be reached'],
  [new APIConnectionTimeoutError(), 'its server did not answer in time'],
  [new APIUserAbortError(), 'its server did not answer in time'],
  [new SyntaxError('secret'), 'its answer broke off or was not understood'],
  [{}, 'its answer broke off or was not understood'],
])('tells an operator why a call failed: case %#', (error, reason) => expect(reasonOf(error)).toBe(reason));
