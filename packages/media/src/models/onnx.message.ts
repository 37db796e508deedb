/** ONNX models are Protocol Buffers messages: a sequence of fields, some of which are messages again. */

/** Wire types. */
const [VARINT, EIGHT_BYTES, LENGTH, FOUR_BYTES] = [0, 1, 2, 5];

/**
 * Rewrites the fields of a message. Length-delimited ones are passed to `edit`.
 *
 * @param edit gets the number and the content of a field, and returns its replacement; undefined keeps it
 * @throws RangeError if the message is invalid
 */
export function edited(content: Buffer, edit: (number: number, value: Buffer) => Buffer[] | undefined): Buffer {
  const parts: Buffer[] = [];
  for (const { number, whole, value } of fieldsOf(content)) parts.push(...((value && edit(number, value)) ?? [whole]));
  return message(...parts);
}

/** The contents of all fields with a number. */
export function insideOf(content: Buffer, wanted: number): Buffer[] {
  return [...fieldsOf(content)].flatMap(({ number, value }) => (number === wanted && value ? [value] : []));
}

export function textOf(value: Buffer): string {
  return value.toString('utf8');
}

export function field(number: number, value: Buffer | string | number): Buffer {
  if (typeof value === 'number') return message(varint(8 * number + VARINT!), varint(value));
  const content = typeof value === 'string' ? Buffer.from(value) : value;
  return message(varint(8 * number + LENGTH!), varint(content.length), content);
}

export function message(...fields: Buffer[]): Buffer {
  return Buffer.concat(fields);
}

function* fieldsOf(content: Buffer): Generator<{ number: number; whole: Buffer; value?: Buffer }> {
  for (let at = 0; at < content.length;) {
    const start = at;
    const [key, afterKey] = readVarint(content, at);
    const [length, from] = lengthOf(content, key % 8, afterKey);
    at = from + length;
    if (at > content.length) throw new RangeError('A field is longer than its message.');
    const value = key % 8 === LENGTH ? content.subarray(from, at) : undefined;
    yield { number: Math.floor(key / 8), whole: content.subarray(start, at), value };
  }
}

/** The length of a value, and where it starts. */
function lengthOf(content: Buffer, kind: number, at: number): [length: number, from: number] {
  if (kind === LENGTH) return readVarint(content, at);
  if (kind === EIGHT_BYTES) return [8, at];
  if (kind === FOUR_BYTES) return [4, at];
  if (kind === VARINT) return [0, readVarint(content, at)[1]];
  throw new RangeError('A field is of no known kind.');
}

function readVarint(content: Buffer, from: number): [value: number, end: number] {
  let value = 0;
  for (let at = from; at < from + 10; at++) {
    const byte = content.readUInt8(at);
    value += (byte & 0x7f) * 2 ** (7 * (at - from));
    if (byte < 0x80) return [value, at + 1];
  }
  throw new RangeError('A number is too long.');
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}
