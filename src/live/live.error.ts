import { ServiceError } from '../platform/errors/index.js';
import type { ServerEvent } from './live.connection.js';

/** What is wrong with an event of a client, or with what it asked for. The session goes on. */
export class LiveError extends Error {
  /**
   * @param code machine code in snake_case; part of the protocol
   * @param message for a person; never the client's input
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

/** Any failure as one that a client can be told of: what it does not know is a `server_error` without details. */
export function asLiveError(error: unknown): LiveError {
  if (error instanceof LiveError) return error;
  if (!(error instanceof ServiceError))
    return new LiveError('internal_error', 'Something went wrong on our side.', 'server_error');
  const { status, code, message } = error;
  const type = status === 429 ? 'rate_limit_error' : status < 500 ? 'invalid_request_error' : 'server_error';
  return new LiveError(code, message, type);
}

/** Any failure as clients see it. */
export function presentError(error: unknown): Record<'type' | 'code' | 'message', string> {
  const { type, code, message } = asLiveError(error);
  return { type, code, message };
}

/** @param event_id of the client's event, if it gave one */
export function errorEvent(error: unknown, event_id: unknown): ServerEvent {
  const of = typeof event_id === 'string' ? event_id : null;
  return { type: 'error', error: { ...presentError(error), param: null, event_id: of } };
}

export const WORDS_LOST = new LiveError('transcription_failed', 'The words could not be found out.', 'server_error');
