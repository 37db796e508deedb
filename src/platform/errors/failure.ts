import { type ErrorDefinition, ERRORS } from './error.registry.js';
import { ServiceError } from './service-error.js';

/** The name of an error of the service: its code, or for a further error with that code a name of its own. */
export type ErrorName = keyof typeof ERRORS;

/** What the text of an error needs, such as a limit. */
export type MessageValues<N extends ErrorName> = ValuesOf<(typeof ERRORS)[N], 'message'>;
type FailureValues<N extends ErrorName> = [...MessageValues<N>, ...ValuesOf<(typeof ERRORS)[N], 'headers'>];
type ValuesOf<D, K extends string> = D extends Record<K, (...values: infer V) => unknown> ? V : [];

/** The codes of all errors, each once. */
export const ERROR_CODES: readonly string[] = [
  ...new Set(Object.entries<ErrorDefinition>(ERRORS).map(([name, { code }]) => code ?? name)),
];

/** What a client sees of an error, to document it. */
export function describeFailure<N extends ErrorName>(name: N, ...values: MessageValues<N>) {
  const { status, code = name, message }: ErrorDefinition = ERRORS[name];
  return { status, code, message: resolve(message, values) };
}

/**
 * An error of the service, to be thrown.
 *
 * @param values what its text or its headers need
 * @example
 * throw failure('avatar_not_found');
 * throw failure('rate_limited', 30);
 */
export function failure<N extends ErrorName>(name: N, ...values: FailureValues<N>): ServiceError {
  const { status, code = name, message, headers }: ErrorDefinition = ERRORS[name];
  return new ServiceError(status, code, resolve(message, values), headers && resolve(headers, values));
}

function resolve<T>(value: T | ((...values: never[]) => T), values: readonly unknown[]): T {
  return typeof value === 'function' ? (value as (...values: unknown[]) => T)(...values) : value;
}
