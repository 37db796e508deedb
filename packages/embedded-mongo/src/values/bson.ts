import { BSONRegExp, Binary, DBRef, Decimal128, Double, Int32, Long, ObjectId, deserialize, serialize } from 'bson';

/** A decoded document. Fields are any BSON value. */
export type Doc = Record<string, any>;

export const MAX_DOCUMENT = 16 * 1024 * 1024;
export const MAX_MESSAGE = 48_000_000;
export const MAX_BATCH = 100_000;

const isInt32 = (value: number): boolean => (value | 0) === value && !Object.is(value, -0);

/**
 * Decodes so that `encode` gives the same bytes back. Values that a JavaScript number would change (an integral double, a
 * 64-bit integer) keep their BSON class; everything else is plain.
 */
export function decode(bytes: Uint8Array, raw?: string): Doc {
  const options = { promoteValues: false, bsonRegExp: true, ...(raw && { fieldsAsRaw: { [raw]: true } }) };
  return plain(deserialize(bytes, options)) as Doc;
}

function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Int32) return value.value;
  if (value instanceof Double) return isInt32(value.value) ? value : value.value;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = plain(value[i]);
  } else if (value instanceof DBRef) {
    return plain({ $ref: value.collection, $id: value.oid, ...(value.db && { $db: value.db }), ...value.fields });
  } else if (isDocument(value)) {
    for (const key of Object.keys(value)) value[key] = plain(value[key]);
  }
  return value;
}

export const encode = (doc: Doc): Buffer => Buffer.from(serialize(doc, { ignoreUndefined: true }));

/** A BSON object, as opposed to an array, a date or one of the BSON classes. */
export function isDocument(value: unknown): value is Doc {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

export const isNumber = (value: unknown): value is number | Double | Long | Decimal128 =>
  typeof value === 'number' || value instanceof Double || isLong(value) || value instanceof Decimal128;

/** Timestamp extends Long, but is not a number. */
export const isLong = (value: unknown): value is Long => value instanceof Long && value._bsontype === 'Long';

export function toNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  if (value instanceof Double) return value.value;
  if (isLong(value)) return value.toNumber();
  return value instanceof Decimal128 ? Number(value.toString()) : NaN;
}

/** Joins encoded elements into a document. */
export function joinElements(elements: Uint8Array[]): Buffer {
  const size = elements.reduce((sum, element) => sum + element.length, 5);
  const head = Buffer.alloc(4);
  head.writeInt32LE(size);
  return Buffer.concat([head, ...elements, Buffer.from([0])], size);
}

export const element = (type: number, name: string, value: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from([type]), Buffer.from(`${name}\0`), value]);

/** Builds an array from encoded documents. */
export function joinArray(docs: Uint8Array[]): Buffer {
  const parts: Uint8Array[] = [];
  let size = 5;
  for (let i = 0; i < docs.length; i++) {
    const head = Buffer.from(`\x03${i}\0`, 'latin1');
    parts.push(head, docs[i]!);
    size += head.length + docs[i]!.length;
  }
  const length = Buffer.alloc(4);
  length.writeInt32LE(size);
  return Buffer.concat([length, ...parts, Buffer.from([0])], size);
}

export { BSONRegExp, Binary, Decimal128, Double, Int32, Long, ObjectId };
