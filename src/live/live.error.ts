import { asServiceError } from '../platform/errors/index.js';
import { describeError, loggerOf } from '../platform/logging/index.js';
import type { ServerEvent } from './live.connection.js';

const logger = loggerOf('Live');

/** An invalid event of a client, or a request that cannot be fulfilled. The session continues. */
export class LiveError extends Error {
  /**
   * @param code machine-readable, in snake_case; part of the protocol
   * @param message for people; never quotes the client's input
   */
  constructor(
    readonly code: string,
    message: string,
    readonly type: 'invalid_request_error' | 'server_error' | 'rate_limit_error' = 'invalid_request_error',
  ) {
    super(message);
    this.name = 'LiveError';
  }
}

/** Converts any failure to one for clients: unknown errors become a `server_error` without details, and are logged. */
export function asLiveError(error: unknown): LiveError {
  if (error instanceof LiveError) return error;
  const { status, code, message } = asServiceError(error);
  if (status === 500) logger.error({ ...describeError(error) });
  const type = status === 429 ? 'rate_limit_error' : status < 500 ? 'invalid_request_error' : 'server_error';
  return new LiveError(code, message, type);
}

/** Any failure, in the format for clients. */
export function presentError(error: unknown): Record<'type' | 'code' | 'message', string> {
  const { type, code, message } = asLiveError(error);
  return { type, code, message };
}

/** @param event_id of the client's event, if it had one */
export function errorEvent(error: unknown, event_id: unknown): ServerEvent {
  const of = typeof event_id === 'string' ? event_id : null;
  return { type: 'error', error: { ...presentError(error), param: null, event_id: of } };
}

export const TRANSCRIPTION_FAILED = new LiveError(
  'transcription_failed',
  'The speech could not be transcribed.',
  'server_error',
);
