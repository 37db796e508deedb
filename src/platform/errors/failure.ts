import { type ErrorName, type FailureValues, resolvePart, type ErrorDefinition, ERRORS } from 'avatar-chat-errors';
import { ServiceError } from './service-error.js';

/**
 * Creates an error of the service, to be thrown.
 *
 * @param values for its text or its headers
 * @example
 * throw failure('avatar_not_found');
 * throw failure('rate_limited', 30);
 */
export function failure<N extends ErrorName>(name: N, ...values: FailureValues<N>): ServiceError {
  const { status, code = name, message, headers }: ErrorDefinition = ERRORS[name];
  return new ServiceError(status, code, resolvePart(message, values), headers && resolvePart(headers, values));
}
