import type { ErrorBody, ErrorCode } from './types.js';

/**
 * What went wrong, by its code. Codes of the service are listed in its documentation; the client adds `network_error`
 * (no answer: offline, refused, cut off, or nothing heard for too long) and `bad_response` (an answer that is not the
 * service's, such as a proxy's page).
 *
 * An abort is none of these: what is thrown then is the signal's reason, as `fetch` does it.
 */
export class AvatarChatError extends Error {
  override readonly name = 'AvatarChatError';

  constructor(
    readonly code: ErrorCode | 'network_error' | 'bad_response' | (string & {}),
    message: string,
    /** The HTTP status; 0 where there was no answer. */
    readonly status = 0,
    /** Names the request in the service's log. */
    readonly request_id?: string,
    /** After how many seconds to try again, where the service said so. */
    readonly retryAfter?: number,
  ) {
    super(message);
  }
}

/** No answer, or only a part of one. */
export function networkError(message: string): AvatarChatError {
  return new AvatarChatError('network_error', message);
}

/** The error of an answer that is not 2xx, by its body. */
export function errorOf({ headers, status }: Response, text: string): AvatarChatError {
  const { result, error, message } = (parse(text) ?? {}) as Partial<ErrorBody>;
  const retryAfter = Number(headers.get('Retry-After') ?? NaN);
  return new AvatarChatError(
    result && error ? error : 'bad_response',
    result && message ? message : `The answer has the status ${status} and is not the service's.`,
    status,
    headers.get('X-Request-Id') ?? undefined,
    retryAfter >= 0 ? retryAfter : undefined,
  );
}

/** JSON, or undefined where it is none. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
