import { isDeepStrictEqual } from 'node:util';
import type { mongo } from 'mongoose';

type Index = mongo.IndexDescriptionInfo;

/** Index fields that servers add to the definition. */
const NOTES = ['v', 'ns', 'background'];

/**
 * Slightly longer than a copy may still take from then on; documents that expire earlier may be missing on either side.
 */
const SOON_MS = 3_600_000;

/** The indexes of a collection except that of `_id`, as definitions to create them. */
export async function indexesOf(collection: mongo.Collection): Promise<Index[]> {
  const indexes = await collection.listIndexes().toArray();
  return indexes
    .filter(({ name }) => name !== '_id_')
    .map((index) => Object.fromEntries(Object.entries(index).filter(([field]) => !NOTES.includes(field))) as Index);
}

/** Creates those that are missing. */
export async function createIndexes(db: mongo.Db, name: string, indexes: readonly Index[]): Promise<void> {
  const there = new Set((await indexesOf(db.collection(name))).map((index) => index.name));
  const missing = indexes.filter((index) => !there.has(index.name));
  if (missing.length > 0) await db.command({ createIndexes: name, indexes: missing });
}

/** Whether a collection has exactly these indexes. */
export async function hasIndexes(collection: mongo.Collection, indexes: readonly Index[]): Promise<boolean> {
  const stored = await indexesOf(collection);
  const isThere = (index: Index) => stored.some((other) => isSame(index, other));
  return stored.length === indexes.length && indexes.every(isThere);
}

/** A filter for documents that no TTL index removes within the next hour, on either server. */
export function withoutExpiring(indexes: readonly Index[], now: number): mongo.Document {
  const expiring = indexes.flatMap(({ key, expireAfterSeconds }) =>
    expireAfterSeconds === undefined
      ? []
      : Object.keys(key).map((field) => ({ [field]: { $lt: new Date(now + SOON_MS - expireAfterSeconds * 1000) } })),
  );
  return expiring.length > 0 ? { $nor: expiring } : {};
}

/** The order of a key's fields matters, that of other options does not. */
function isSame(one: Index, other: Index): boolean {
  return isDeepStrictEqual({ ...one, key: Object.entries(one.key) }, { ...other, key: Object.entries(other.key) });
}
