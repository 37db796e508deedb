import { isGone } from '../erasure/index.js';
import { newId } from '../platform/database/index.js';
import { asServiceError, failure, ServiceError } from '../platform/errors/index.js';
import { describeError, loggerOf } from '../platform/logging/index.js';
import { LiveError, type SessionHost } from 'avatar-chat-realtime';

const logger = loggerOf('Live');

/** Converts any failure to one for clients: unknown errors become a `server_error` without details, and are logged. */
export function asLiveError(error: unknown): LiveError {
  if (error instanceof LiveError) return error;
  const { status, code, message, headers } = asServiceError(error);
  if (status === 500) logger.error({ ...describeError(error) });
  const type = status === 429 ? 'rate_limit_error' : status < 500 ? 'invalid_request_error' : 'server_error';
  const wait = headers['Retry-After'];
  return new LiveError(code, wait ? `${message} Retry-After: ${wait}` : message, type);
}

/** What sessions need of the service besides its modules. */
export const LIVE_HOST: SessionHost = {
  newId,
  loggerOf,
  asLiveError,
  isForClients: (error) => error instanceof ServiceError,
  engineFailed: () => failure('engine_failed'),
  isGone,
};
