import { failure } from '../platform/errors/index.js';

/** Levels of a catalogue file. Far deeper ones would overflow the stack of whoever reads or writes them. */
const MAX_DEPTH = 100;
const isDeeper = (value: unknown, depth: number): boolean =>
  value instanceof Object && (depth === 0 || Object.values(value).some((part) => isDeeper(part, depth - 1)));

/** @throws ServiceError `invalid_json` if it is nested too deeply */
export function catalogueText(file: unknown): string {
  if (isDeeper(file, MAX_DEPTH)) throw failure('invalid_json');
  return JSON.stringify(file ?? null);
}

/** Serializes values as JSON lines. */
export async function* jsonLines(values: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const value of values) yield `${JSON.stringify(value)}\n`;
}

/** Collects all values of a sequence that is known to be short. */
export async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}
