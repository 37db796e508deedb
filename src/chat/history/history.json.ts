import { mongo } from 'mongoose';
import type { FileUrls } from '../../files/index.js';
import { present, type MessageDocument } from '../../messages/index.js';
import { int32, JsonText, LONGEST_ESCAPE } from './json.text.js';

/** The fields of a stored message that a response contains, in the order of {@link present}. */
const FIELDS = [
  '_id',
  'direction',
  'user_id',
  'request',
  'answer',
  'avatar_id',
  'avatar_name',
  'date',
  'chat_type',
  'language_code',
  'fileUrl',
  'file_id',
] as const;
const DIRECTION = FIELDS.indexOf('direction');
const DATE = FIELDS.indexOf('date');
const FILE_URL = FIELDS.indexOf('fileUrl');
const FILE_ID = FIELDS.indexOf('file_id');
const ONLY_INCOMING = new Set([FIELDS.indexOf('answer'), FIELDS.indexOf('avatar_name')]);

const NAMES = FIELDS.map((name) => Buffer.from(name));
/** Indexed by the length of their names. */
const FIELDS_BY_LENGTH = NAMES.reduce<number[][]>((found, { length }, field) => {
  (found[length] ??= []).push(field);
  return found;
}, []);
const KEYS = FIELDS.map((name, field) => Buffer.from(`${field === 0 ? '{' : ','}"${name}":`));
const INCOMING = Buffer.from('incoming');

const DOUBLE = 1;
const STRING = 2;
const INT32 = 16;
const INT64 = 18;
/** Sizes of BSON types with a fixed size, in bytes. */
const SIZES: Readonly<Record<number, number>> = { [DOUBLE]: 8, 7: 12, 8: 1, 9: 8, 10: 0, [INT32]: 4, [INT64]: 8 };

const [COMMA, CLOSING] = [0x2c, 0x7d];
/** Everything in a message's JSON besides its values, plus room for a number. */
const MESSAGE_OVERHEAD = 512;

/** Offsets of a document's start and end. */
export type Extent = readonly [from: number, to: number];

/**
 * A page of a history as JSON text, written directly from the database's BSON: the same bytes as `JSON.stringify({
 * payload, has_more_messages })` of what {@link present} returns for each message, at a tenth of the cost.
 *
 * @param batch a BSON array of stored messages
 * @param limit how many of them belong to the page; any more set `has_more_messages`
 */
export function historyJson(batch: Uint8Array, limit: number, urls: FileUrls): Buffer {
  const json = new JsonText(batch.length * 2);
  const bson = asBuffer(batch);
  json.add('{"payload":[');
  let count = 0;
  for (const [from, to] of documentsIn(batch)) {
    if (++count > limit) break;
    if (count > 1) json.addByte(COMMA);
    if (!addMessage(json, bson, from, to, urls)) addForeign(json, bson.subarray(from, to), urls);
  }
  json.add(`],"has_more_messages":${count > limit}}`);
  return json.bytes();
}

/** Messages of a BSON array as comma-separated JSON text, in a buffer of exactly the needed size. */
export function messagesJson(batch: Uint8Array, extents: readonly Extent[], urls: FileUrls): Buffer {
  const json = new JsonText(0);
  const bson = asBuffer(batch);
  for (const [index, [from, to]] of extents.entries()) {
    if (index > 0) json.addByte(COMMA);
    if (!addMessage(json, bson, from, to, urls)) addForeign(json, bson.subarray(from, to), urls);
  }
  // The buffer had room for the longest escapes.
  return Buffer.from(json.bytes());
}

/** The same bytes, with Node's methods to read numbers and text. */
function asBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

/** The offsets of each document in a BSON array. */
export function* documentsIn(array: Uint8Array): Generator<Extent> {
  for (let at = 4; array[at] === 3;) {
    const from = array.indexOf(0, at + 1) + 1;
    at = from + int32(array, from);
    yield [from, at];
  }
}

/** Appends a message with a value that this service never stores. */
function addForeign(json: JsonText, bson: Uint8Array, urls: FileUrls): void {
  json.add(JSON.stringify(present(mongo.BSON.deserialize(bson) as MessageDocument, urls)));
}

const types = new Int32Array(FIELDS.length);
const offsets = new Int32Array(FIELDS.length);

/** @returns false, with nothing appended, if a value has a type that this service never stores */
function addMessage(json: JsonText, bson: Buffer, from: number, to: number, urls: FileUrls): boolean {
  if (!findFields(bson, from + 4, to - 1)) return false;
  const date = types[DATE] === 0 ? undefined : numberAt(bson, types[DATE]!, offsets[DATE]!);
  if (types[DATE] !== 0 && date === undefined) return false;
  for (let field = 0; field < FIELDS.length; field++)
    if (field !== DATE && types[field] !== 0 && types[field] !== STRING) return false;
  if (types[0] === 0) return false;

  const incoming = types[DIRECTION] === STRING && isText(bson, offsets[DIRECTION]!, INCOMING);
  json.reserve((to - from) * LONGEST_ESCAPE + MESSAGE_OVERHEAD);
  for (let field = 0; field < FILE_URL; field++) {
    if (types[field] === 0 || (!incoming && ONLY_INCOMING.has(field))) continue;
    json.addBytes(KEYS[field]!);
    if (field === DATE) json.addNumber(date!);
    else json.addString(bson, offsets[field]!);
  }
  if (types[FILE_ID] !== 0) {
    json.addBytes(KEYS[FILE_URL]!);
    json.add(JSON.stringify(urls.sign(textAt(bson, offsets[FILE_ID]!))));
  } else if (types[FILE_URL] !== 0) {
    json.addBytes(KEYS[FILE_URL]!);
    json.addString(bson, offsets[FILE_URL]!);
  }
  json.addByte(CLOSING);
  return true;
}

/** Records type and offset of each field between two offsets; type 0 means that the field is missing. */
function findFields(bson: Uint8Array, from: number, to: number): boolean {
  types.fill(0);
  for (let at = from; at < to;) {
    const type = bson[at]!;
    const name = ++at;
    while (bson[at] !== 0) at++;
    const field = fieldNamed(bson, name, at - name);
    at++;
    if (field >= 0) {
      types[field] = type;
      offsets[field] = at;
    }
    const size = type === STRING ? 4 + int32(bson, at) : SIZES[type];
    if (size === undefined) return false;
    at += size;
  }
  return true;
}

function fieldNamed(bson: Uint8Array, at: number, length: number): number {
  const candidates = FIELDS_BY_LENGTH[length];
  if (candidates)
    candidate: for (const field of candidates) {
      const name = NAMES[field]!;
      for (let i = 0; i < length; i++) if (bson[at + i] !== name[i]) continue candidate;
      return field;
    }
  return -1;
}

function isText(bson: Uint8Array, at: number, text: Uint8Array): boolean {
  if (int32(bson, at) !== text.length + 1) return false;
  return text.every((byte, i) => bson[at + 4 + i] === byte);
}

function textAt(bson: Buffer, at: number): string {
  return bson.toString('utf8', at + 4, at + 3 + int32(bson, at));
}

function numberAt(bson: Buffer, type: number, at: number): number | undefined {
  if (type === DOUBLE) return bson.readDoubleLE(at);
  if (type === INT32) return int32(bson, at);
  const number = type === INT64 ? Number(bson.readBigInt64LE(at)) : NaN;
  return Number.isSafeInteger(number) ? number : undefined;
}
