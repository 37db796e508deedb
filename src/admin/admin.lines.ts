import { isStorable } from 'avatar-chat-catalogue';

/** What cannot be stored could overflow the stack: it becomes a small file with the same fault. */
const NOT_STORABLE = { '\0': null };

export function catalogueText(file: unknown): string {
  return JSON.stringify(isStorable(file) ? (file ?? null) : NOT_STORABLE);
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
