import { ServiceError } from '../errors/index.js';

const RATE_LIMITED = 'Too many requests. Retry-After says in how many seconds the next may come.';

/** Too much of one client, which may come again in so many seconds. */
export const rateLimited = (seconds: number) =>
  new ServiceError(429, 'rate_limited', RATE_LIMITED, { 'Retry-After': String(seconds) });
