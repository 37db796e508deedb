import type { ErrorBody, ErrorCode } from './types.js';

/**
 * An error with a code. The service's documentation lists its codes. The client adds `network_error` (no response:
 * offline, connection refused or lost, timeout) and `bad_response` (a response that is not the
 * service's, such as a proxy's page).
 *
 * An abort is different: it throws the signal's reason, as `fetch` does.
 */
export class AvatarChatError extends Error {
  override readonly name = 'AvatarChatError';

  constructor(
    readonly code: ErrorCode | 'network_error' | 'bad_response' | (string & {}),
    message: string,
    /** The HTTP status; 0 if there was no response. */
    readonly status = 0,
    /** Identifies the request in the service's log. */
    readonly request_id?: string,
    /** How many seconds to wait before a retry, if the service sent `Retry-After`. */
    readonly retryAfter?: number,
  ) {
    super(message);
  }
}

/** No response, or an incomplete one. */
export function networkError(message: string): AvatarChatError {
  return new AvatarChatError('network_error', message);
}

/** Builds the error for a response that is not 2xx from its body. */
export function errorOf({ headers, status }: Response, text: string): AvatarChatError {
  const { result, error, message } = (parse(text) ?? {}) as Partial<ErrorBody>;
  return new AvatarChatError(
    result && error ? error : 'bad_response',
    result && message ? message : `A response with status ${status} did not come from the service.`,
    status,
    headers.get('X-Request-Id') ?? undefined,
    secondsOf(headers.get('Retry-After')),
  );
}

/** A `Retry-After` header: a number of seconds, or a date in any of HTTP's formats, all of them in GMT. */
function secondsOf(header: string | null): number | undefined {
  const seconds = /^[A-Z][a-z]+,? /.test(header ?? '')
    ? Math.max(0, (Date.parse(header!.replace(/(?: GMT)?$/, ' GMT')) - Date.now()) / 1000)
    : Number(header ?? NaN);
  return seconds >= 0 ? seconds : undefined;
}

/** Parses JSON. Undefined if it is invalid. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
