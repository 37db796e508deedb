import { IntrinsicException } from '@nestjs/common';

/**
 * A failure with a stable code, which clients get as the common error body.
 *
 * @example
 * throw new ServiceError(404, 'rating_not_found', 'There is no such rating.');
 *
 * @param status HTTP status, 400–599. 403 is reserved for an expired token.
 * @param code machine code in snake_case; part of the public interface.
 * @param message for a person; never the caller's input, a driver's text or a stack.
 * @param headers further response headers, such as `WWW-Authenticate`.
 */
export class ServiceError extends IntrinsicException {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.name = 'ServiceError';
  }

  /** With {@link expose} for the filters of Nest and Express, in case a host's own route throws it. */
  get statusCode(): number {
    return this.status;
  }

  /** Its message is meant for clients. */
  get expose(): boolean {
    return true;
  }
}
