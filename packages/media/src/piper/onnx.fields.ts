import { readSync } from 'node:fs';

/** A field of a Protocol Buffers message in a file, by the positions of its content. */
export interface OnnxField {
  readonly number: number;
  readonly start: number;
  readonly end: number;
}

/** Fields of ONNX's messages. */
export const MODEL = { graph: 7, metadata: 14 };
export const GRAPH = { node: 1, initializer: 5, output: 12 };
export const NODE = { input: 1, output: 2, operator: 4, attribute: 5 };

/** The fields of a message in a file. @throws Error if they do not end where it does */
export function* fieldsIn(
  descriptor: number,
  { start, end }: Pick<OnnxField, 'start' | 'end'>,
): Generator<OnnxField, void> {
  const head = Buffer.alloc(20);
  for (let at = start; at < end;) {
    const view = head.subarray(0, readSync(descriptor, head, 0, head.length, at));
    const tag = varint(view, 0);
    const value = tag && varint(view, tag.end);
    const form = tag && tag.value % 8;
    // A varint or a length-delimited field; the messages that are read have no others.
    if (!value || (form !== 0 && form !== 2)) throw new Error('There is no field.');
    const content = at + (form === 2 ? value.end : tag.end);
    at += value.end + (form === 2 ? value.value : 0);
    if (at > end) throw new Error('A field ends after its message.');
    yield { number: Math.floor(tag.value / 8), start: content, end: at };
  }
}

export function textIn(descriptor: number, { start, end }: OnnxField): string {
  const text = Buffer.alloc(end - start);
  readSync(descriptor, text, 0, text.length, start);
  return text.toString();
}

/** An encoded field. @param content a number is a varint, anything else a string or a message */
export function field(number: number, content: number | string | Buffer): Buffer {
  if (typeof content === 'number') return Buffer.from([...digits(number * 8), ...digits(content)]);
  const bytes = Buffer.from(content as string);
  return Buffer.concat([Buffer.from([...digits(number * 8 + 2), ...digits(bytes.length)]), bytes]);
}

function digits(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...digits(Math.floor(value / 128))];
}

function varint(bytes: Uint8Array, at: number): { value: number; end: number } | undefined {
  let value = 0;
  for (let n = 0; n < 10 && at + n < bytes.length; n++) {
    const byte = bytes[at + n]!;
    value += (byte & 127) * 2 ** (7 * n);
    if (byte < 128) return { value, end: at + n + 1 };
  }
  return undefined;
}
