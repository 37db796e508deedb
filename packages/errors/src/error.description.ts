import { type ErrorDefinition, ERRORS } from './error.registry.js';

/** The name of an error of the service: its code, or a name of its own if several errors share the code. */
export type ErrorName = keyof typeof ERRORS;

/** Values for the text of an error, such as a limit. */
export type MessageValues<N extends ErrorName> = ValuesOf<(typeof ERRORS)[N], 'message'>;
/** The same for its text and its headers. */
export type FailureValues<N extends ErrorName> = [...MessageValues<N>, ...ValuesOf<(typeof ERRORS)[N], 'headers'>];
type ValuesOf<D, K extends string> = D extends Record<K, (...values: infer V) => unknown> ? V : [];

/** The codes of all errors, without duplicates. */
export const ERROR_CODES: readonly string[] = [
  ...new Set(Object.entries<ErrorDefinition>(ERRORS).map(([name, { code }]) => code ?? name)),
];

/** What clients see of an error, for its documentation. */
export function describeFailure<N extends ErrorName>(name: N, ...values: MessageValues<N>) {
  const { status, code = name, message }: ErrorDefinition = ERRORS[name];
  return { status, code, message: resolvePart(message, values) };
}

/** A part of an error that may depend on values. */
export function resolvePart<T>(value: T | ((...values: never[]) => T), values: readonly unknown[]): T {
  return typeof value === 'function' ? (value as (...values: unknown[]) => T)(...values) : value;
}
