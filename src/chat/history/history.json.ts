import { type BsonExtent, BsonFields, documentsIn, JsonText, LONGEST_ESCAPE } from 'avatar-chat-runtime';
import { mongo } from 'mongoose';
import type { FileUrls } from '../../files/index.js';
import { present, type MessageDocument } from '../../messages/index.js';

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

const KEYS = FIELDS.map((name, field) => Buffer.from(`${field === 0 ? '{' : ','}"${name}":`));
const INCOMING = Buffer.from('incoming');

const [COMMA, CLOSING] = [0x2c, 0x7d];
/** Everything in a message's JSON besides its values, plus room for a number. */
const MESSAGE_OVERHEAD = 512;

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
  for (const extent of documentsIn(batch)) {
    if (++count > limit) break;
    if (count > 1) json.addByte(COMMA);
    add(json, bson, extent, urls);
  }
  json.add(`],"has_more_messages":${count > limit}}`);
  return json.bytes();
}

/** Messages of a BSON array as comma-separated JSON text, in a buffer of exactly the needed size. */
export function messagesJson(batch: Uint8Array, extents: readonly BsonExtent[], urls: FileUrls): Buffer {
  const json = new JsonText(0);
  const bson = asBuffer(batch);
  for (const [index, extent] of extents.entries()) {
    if (index > 0) json.addByte(COMMA);
    add(json, bson, extent, urls);
  }
  // The buffer had room for the longest escapes.
  return Buffer.from(json.bytes());
}

/** The same bytes, with Node's methods to read numbers and text. */
function asBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

function add(json: JsonText, bson: Buffer, extent: BsonExtent, urls: FileUrls): void {
  if (addMessage(json, bson, extent, urls)) return;
  const message = mongo.BSON.deserialize(bson.subarray(...extent)) as MessageDocument;
  json.add(JSON.stringify(present(message, urls)));
}

const fields = new BsonFields(FIELDS);

/** @returns false, with nothing appended, if a value has a type that this service never stores */
function addMessage(json: JsonText, bson: Buffer, extent: BsonExtent, urls: FileUrls): boolean {
  if (!fields.find(bson, extent)) return false;
  const date = fields.has(DATE) ? fields.numberOf(bson, DATE) : undefined;
  if (fields.has(DATE) && date === undefined) return false;
  for (let field = 0; field < FIELDS.length; field++)
    if (field !== DATE && fields.has(field) && !fields.isString(field)) return false;
  if (!fields.has(0)) return false;

  const incoming = fields.equals(bson, DIRECTION, INCOMING);
  json.reserve((extent[1] - extent[0]) * LONGEST_ESCAPE + MESSAGE_OVERHEAD);
  for (let field = 0; field < FILE_URL; field++) {
    if (!fields.has(field) || (!incoming && ONLY_INCOMING.has(field))) continue;
    json.addBytes(KEYS[field]!);
    if (field === DATE) json.addNumber(date!);
    else json.addString(bson, fields.offsets[field]!);
  }
  if (fields.has(FILE_ID)) {
    json.addBytes(KEYS[FILE_URL]!);
    json.add(JSON.stringify(urls.sign(fields.textOf(bson, FILE_ID))));
  } else if (fields.has(FILE_URL)) {
    json.addBytes(KEYS[FILE_URL]!);
    json.addString(bson, fields.offsets[FILE_URL]!);
  }
  json.addByte(CLOSING);
  return true;
}
