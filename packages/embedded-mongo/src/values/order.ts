import { BSONSymbol, Code, DBRef, MaxKey, MinKey, Timestamp } from 'bson';
import { BSONRegExp, Binary, Decimal128, Double, Long, ObjectId, isLong, toNumber } from './bson.js';

/**
 * BSON's order of types. Every value is encoded as bytes that compare as MongoDB compares the values: the rank of its type,
 * then a payload, none of which is a prefix of another. No rank is 0 or above 127, so that an inverted one (for a descending
 * field) is neither 0 nor 255.
 */
export const rank = {
  min: 1,
  empty: 4,
  null: 5,
  number: 10,
  string: 15,
  object: 20,
  array: 25,
  binary: 30,
  id: 35,
  boolean: 40,
  date: 45,
  timestamp: 47,
  regex: 50,
  code: 60,
  scope: 65,
  max: 127,
};

/** How an index stores an empty array: below null. */
export const EMPTY = Symbol('empty array');

export function rankOf(value: unknown): number {
  switch (typeof value) {
    case 'number':
      return rank.number;
    case 'string':
      return rank.string;
    case 'boolean':
      return rank.boolean;
    case 'undefined':
      return rank.null;
    case 'symbol':
      return rank.empty;
  }
  if (value === null) return rank.null;
  if (Array.isArray(value)) return rank.array;
  if (value instanceof Date) return rank.date;
  if (value instanceof ObjectId) return rank.id;
  if (value instanceof Timestamp) return rank.timestamp;
  if (value instanceof Long || value instanceof Double || value instanceof Decimal128) return rank.number;
  if (value instanceof Binary) return rank.binary;
  if (value instanceof BSONRegExp || value instanceof RegExp) return rank.regex;
  if (value instanceof BSONSymbol) return rank.string;
  if (value instanceof Code) return value.scope ? rank.scope : rank.code;
  if (value instanceof MinKey) return rank.min;
  if (value instanceof MaxKey) return rank.max;
  return rank.object;
}

let bytes = Buffer.allocUnsafe(4096);
let at = 0;

function room(size: number): void {
  if (at + size <= bytes.length) return;
  const larger = Buffer.allocUnsafe((at + size) * 2);
  bytes.copy(larger, 0, 0, at);
  bytes = larger;
}

/** Terminated by 0; a 0 inside is escaped as 0 255. */
function writeText(text: string): void {
  room(text.length * 6 + 1);
  const start = at;
  at += bytes.write(text, at);
  if (text.includes('\0')) {
    const escaped = bytes.toString('latin1', start, at).replaceAll('\0', '\0\xff');
    at = start + bytes.write(escaped, start, 'latin1');
  }
  bytes[at++] = 0;
}

/** As a double with its bits arranged to sort, followed by the digits of a 64-bit integer that the double cannot hold. */
function writeNumber(value: unknown): void {
  room(10);
  const number = toNumber(value);
  if (Number.isNaN(number)) {
    at = bytes.fill(0, at, at + 10) && at + 10;
    return;
  }
  bytes.writeDoubleBE(number === 0 ? 0 : number, at);
  if (bytes[at]! & 0x80) for (let i = 0; i < 8; i++) bytes[at + i]! ^= 0xff;
  else bytes[at]! |= 0x80;
  const rest = isLong(value) && !Number.isSafeInteger(number) ? Number(value.toBigInt() - BigInt(number)) : 0;
  bytes.writeUInt16BE(0x8000 + rest, at + 8);
  at += 10;
}

function writeInt64(value: bigint): void {
  room(8);
  at = bytes.writeBigUInt64BE(BigInt.asUintN(64, value + (1n << 63n)), at);
}

function writeValue(value: any): void {
  room(16);
  const type = rankOf(value);
  bytes[at++] = type;
  writePayload(type, value);
}

function writePayload(type: number, value: any): void {
  switch (type) {
    case rank.number:
      return writeNumber(value);
    case rank.string:
      return writeText(typeof value === 'string' ? value : value.value);
    case rank.object:
      for (const [name, item] of Object.entries(value instanceof DBRef ? value.toJSON() : value)) {
        if (item === undefined) continue;
        const inner = rankOf(item);
        room(1);
        bytes[at++] = inner;
        writeText(name);
        writePayload(inner, item);
      }
      bytes[at++] = 0;
      return;
    case rank.array:
      for (const item of value) writeValue(item);
      room(1);
      bytes[at++] = 0;
      return;
    case rank.binary: {
      const data = value.buffer.subarray(0, value.position);
      room(data.length + 5);
      at = bytes.writeUInt32BE(data.length, at);
      bytes[at++] = value.sub_type;
      bytes.set(data, at);
      at += data.length;
      return;
    }
    case rank.id:
      room(12);
      bytes.set(value.id, at);
      at += 12;
      return;
    case rank.boolean:
      bytes[at++] = value ? 1 : 0;
      return;
    case rank.date:
      return writeInt64(BigInt(value.getTime() || 0));
    case rank.timestamp:
      return writeInt64(value.toBigInt());
    case rank.regex:
      writeText(value.pattern ?? value.source);
      return writeText(value.options ?? value.flags);
    case rank.code:
    case rank.scope:
      writeText(value.code);
      if (value.scope) writeValue(value.scope);
  }
}

/** The value as sortable bytes, inverted for a descending field. */
export const sortable = (value: unknown, descending = false): Buffer => joined([value], [descending]);

/** Concatenates several values, each inverted or not, after a prefix of up to 4 bytes. */
export function joined(values: unknown[], descending: boolean[], head?: Uint8Array): Buffer {
  at = 0;
  room(4);
  if (head) {
    bytes.set(head);
    at = head.length;
  }
  for (let i = 0; i < values.length; i++) {
    const from = at;
    writeValue(values[i]);
    if (descending[i]) for (let j = from; j < at; j++) bytes[j]! ^= 0xff;
  }
  return Buffer.from(bytes.subarray(0, at));
}

/** Negative, 0 or positive, as MongoDB orders the two values. */
export function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number' && a === a && b === b) return a - b || 0;
  if (a === b) return 0;
  const ranks = rankOf(a) - rankOf(b);
  if (ranks) return ranks;
  return Buffer.compare(sortable(a), sortable(b));
}

export const equal = (a: unknown, b: unknown): boolean => compare(a, b) === 0;
