import { Counter } from 'prom-client';
import { failure, type ServiceError } from '../errors/index.js';

/** Requests that a limit has refused. Of the process, like its memory, whatever applications it runs. */
export const refusals = new Counter({
  name: 'rate_limited_requests_total',
  help: 'Requests, and turns of live sessions, that were refused with 429, by the limit.',
  labelNames: ['limit'],
  registers: [],
});

/**
 * The error for a request above a limit.
 *
 * @param limit one of a fixed set of names
 * @param seconds until the next attempt
 */
export function limitReached(limit: string, seconds: number): ServiceError {
  refusals.inc({ limit });
  return failure('rate_limited', Math.max(1, seconds));
}
