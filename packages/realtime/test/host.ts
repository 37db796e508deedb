import { randomBytes } from 'node:crypto';
import { LiveError } from '../src/live.error.js';
import type { SessionHost } from '../src/session/session.ports.js';

/** An error whose code clients may see. */
export class KnownError extends Error {
  constructor(readonly code: string) {
    super(code);
  }
}

/** A service without a log. */
export const HOST: SessionHost = {
  loggerOf: () => ({ warn: () => undefined, error: () => undefined }),
  newId: () => randomBytes(12).toString('hex'),
  asLiveError: (error) => {
    if (error instanceof LiveError) return error;
    const code = error instanceof KnownError ? error.code : 'internal_error';
    return new LiveError(code, 'It failed.', 'server_error');
  },
  isForClients: (error) => error instanceof KnownError,
  engineFailed: () => new KnownError('engine_failed'),
  isGone: (error) => error instanceof KnownError && error.code === 'user_erased',
};
