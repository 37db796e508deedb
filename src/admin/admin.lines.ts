import { isStorable } from 'avatar-chat-catalogue';
import { failure } from '../platform/errors/index.js';

/** @throws ServiceError `invalid_json` if it cannot be stored */
export function catalogueText(file: unknown): string {
  if (!isStorable(file)) throw failure('invalid_json');
  return JSON.stringify(file ?? null);
}

/** Serializes values as JSON lines. */
export async function* jsonLines(values: AsyncIterable<unknown> | Iterable<unknown>): AsyncGenerator<string> {
  for await (const value of values) yield `${JSON.stringify(value)}\n`;
}

/** Collects all values of a sequence that is known to be short. */
export async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}
