import { Doc, ObjectId, decode, element, encode, isDocument, joinElements } from '../values/bson.js';
import type { Collection } from '../storage/catalogue.js';
import type { ServerState } from '../server/server-state.js';
import { CommandError } from '../wire/errors.js';
import type { RecordId } from '../storage/records.js';
import { Update, upsertSeed, withId } from './update.js';

/** With an `_id` as the first field. Bytes that already have that are returned unchanged. */
export function prepared(raw: Buffer): [Buffer, Doc] {
  if (!Buffer.isBuffer(raw))
    throw new CommandError('TypeMismatch', "BSON field 'insert.documents' holds something that is no object");
  const doc = decode(raw);
  if (Object.keys(doc)[0] === '_id') return [raw, checked(doc)];
  if ('_id' in doc) return [encode(withId(doc)), checked(doc)];
  const _id = new ObjectId();
  return [joinElements([element(7, '_id', _id.id), raw.subarray(4, -1)]), checked({ _id, ...doc })];
}

const MAX_DEPTH = 180;

/** @throws CommandError if the document may not be stored. */
function checked(doc: Doc): Doc {
  if (Array.isArray(doc._id)) throw new CommandError('InvalidIdField', "The '_id' value cannot be of type array");
  if (doc._id?.constructor?.name === 'BSONRegExp')
    throw new CommandError('InvalidIdField', "The '_id' value cannot be of type regex");
  if (
    isDocument(doc._id) &&
    Object.keys(doc._id).some((key) => key.startsWith('$') && key !== '$ref' && key !== '$id' && key !== '$db')
  ) {
    throw new CommandError('DollarPrefixedFieldName', "_id fields may not contain '$'-prefixed fields");
  }
  const walk = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null) return;
    if (depth > MAX_DEPTH)
      throw new CommandError('Overflow', `Document exceeds maximum nested object depth: ${MAX_DEPTH}`);
    if (Array.isArray(value)) for (const item of value) walk(item, depth + 1);
    else if (isDocument(value)) for (const key of Object.keys(value)) walk(value[key], depth + 1);
  };
  walk(doc, 0);
  return doc;
}

/** Writes the result of an update. Writes nothing if the document stays the same. */
export function change(
  state: ServerState,
  collection: Collection,
  id: RecordId,
  before: Doc,
  update: Update,
): { after: Doc; changed: boolean } {
  const after = checked(withId(update.apply(before)));
  const bytes = encode(after);
  const changed = !bytes.equals(encode(before));
  if (changed) state.records.replace(collection, id, before, bytes, decode(bytes));
  return { after, changed };
}

export function upsert(state: ServerState, collection: Collection, filter: Doc, update: Update): Doc {
  const start = upsertSeed(filter);
  const made = update.apply(
    update.replacement && start._id !== undefined ? { _id: start._id } : update.replacement ? {} : start,
    true,
  );
  const doc = checked(withId(made));
  const bytes = encode(doc);
  state.records.insert(collection, bytes, decode(bytes));
  return doc;
}
