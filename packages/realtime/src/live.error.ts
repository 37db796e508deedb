import type { ServerEvent } from './live.connection.js';

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

/** In the format for clients. */
export function presentError({ type, code, message }: LiveError): Record<'type' | 'code' | 'message', string> {
  return { type, code, message };
}

/** @param event_id of the client's event, if it had one */
export function errorEvent(error: LiveError, event_id: unknown): ServerEvent {
  const of = typeof event_id === 'string' ? event_id : null;
  return { type: 'error', error: { ...presentError(error), param: null, event_id: of } };
}

export const TRANSCRIPTION_FAILED = new LiveError(
  'transcription_failed',
  'The speech could not be transcribed.',
  'server_error',
);
