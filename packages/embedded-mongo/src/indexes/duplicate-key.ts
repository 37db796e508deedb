import { decode } from '../values/bson.js';
import type { Collection, Index } from '../storage/catalogue.js';
import { CommandError } from '../wire/errors.js';
import { joined } from '../values/order.js';
import { indexKeys } from '../values/paths.js';

/**
 * The error for a key of a unique index that another document has.
 *
 * @param head the prefix of the index's keys
 */
export function duplicateKey(
  collection: Collection,
  index: Index,
  existing: Buffer | undefined,
  key: Buffer,
  head: Buffer,
): CommandError {
  // The value with its own types, as stored in the conflicting document.
  const doc = existing ? decode(existing) : {};
  const values = indexKeys(doc, index.paths).find((list) => joined(list, index.descending, head).equals(key)) ?? [];
  const keyValue = Object.fromEntries(
    index.fields.map(({ path }, i) => [path, typeof values[i] === 'symbol' ? null : (values[i] ?? null)]),
  );
  const shown = Object.entries(keyValue).map(([path, value]) => `${path}: ${show(value)}`);
  return new CommandError(
    'DuplicateKey',
    `E11000 duplicate key error collection: ${collection.namespace} index: ${index.spec.name} dup key: { ${shown.join(', ')} }`,
    { keyPattern: index.spec.key, keyValue },
  );
}

function show(value: any): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value instanceof Date) return `new Date(${value.getTime()})`;
  if (value?._bsontype === 'ObjectId') return `ObjectId('${value.toHexString()}')`;
  if (typeof value?.toString === 'function' && value._bsontype) return value.toString();
  return JSON.stringify(value);
}
