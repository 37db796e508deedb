import { LiveError } from '../live.error.js';

export type Fields = Readonly<Record<string, unknown>>;

/** Reads an optional field; null counts as omitted. @throws LiveError if it has the wrong type */
export function objectOf(value: unknown, name: string): Fields | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'object' || Array.isArray(value)) throw invalid(name, 'must be an object');
  return value as Fields;
}

export function listOf(value: unknown, name: string): readonly unknown[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw invalid(name, 'must be a list');
  return value as unknown[];
}

/** A text; half a character, of which databases and servers know nothing, becomes `\ufffd`. */
export function textOf(value: unknown, name: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw invalid(name, 'must be a text');
  return value.toWellFormed();
}

export function booleanOf(value: unknown, name: string): boolean | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'boolean') throw invalid(name, 'must be true or false');
  return value;
}

/** A number, moved to the nearest one that is allowed. */
export function numberOf(value: unknown, name: string, min: number, max: number): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || Number.isNaN(value)) throw invalid(name, 'must be a number');
  return Math.min(max, Math.max(min, value));
}

/** A number, rounded. */
export function integerOf(...given: Parameters<typeof numberOf>): number | undefined {
  const number = numberOf(...given);
  return number === undefined ? undefined : Math.round(number);
}

export function invalid(name: string, rule: string): LiveError {
  return new LiveError('invalid_value', `${name} ${rule}.`);
}
