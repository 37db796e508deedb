import type { Model } from 'mongoose';

const BATCH = 1000;
/** MongoDB's codes if there is nothing to drop: no such collection, no such index. */
const NOTHING_THERE = [26, 27];

/**
 * Renames a field in all documents of a collection with string identifiers, in batches, so that each operation stays
 * far below its timeout.
 */
export async function renameField<T>({ collection }: Model<T>, from: string, to: string): Promise<void> {
  for (let last = ''; ;) {
    const next = { _id: { $gt: last } } as object;
    const batch = await collection.find(next, { projection: { _id: 1 }, sort: { _id: 1 }, limit: BATCH }).toArray();
    if (batch.length === 0) return;
    const first = batch[0]!._id;
    last = String(batch.at(-1)!._id);
    const old = { _id: { $gte: first, $lte: last }, [from]: { $exists: true } } as object;
    await collection.updateMany(old, { $rename: { [from]: to } });
  }
}

/** Drops an index that is no longer used. */
export async function dropIndex<T>({ collection }: Model<T>, name: string): Promise<void> {
  try {
    await collection.dropIndex(name);
  } catch (error) {
    if (!NOTHING_THERE.includes((error as { code: number }).code)) throw error;
  }
}
