import { hash } from 'node:crypto';
import { mongo } from 'mongoose';
import { batches } from 'avatar-chat-runtime';
import { LONGEST_OPERATION_MS } from './bounded-client.js';

type Document = mongo.Document;
type Collection = mongo.Collection;

const sizeOf = mongo.BSON.calculateObjectSize;

/** Keeps BSON types, so that what is written equals what was read: a double stays a double. */
const EXACT = {
  promoteValues: false,
  promoteLongs: false,
  promoteBuffers: false,
  bsonRegExp: true,
  maxTimeMS: LONGEST_OPERATION_MS,
} as const;

/** The content of a collection: the number of documents, and a digest that does not depend on their order. */
export interface Contents {
  count: number;
  digest: string;
}

/**
 * Makes a collection equal to another one.
 *
 * @param isEmpty whether the target is known to be empty
 * @param onCopied is called with the number of documents per batch
 */
export async function copyDocuments(
  source: Collection,
  target: Collection,
  isEmpty: boolean,
  onCopied: (count: number) => void,
): Promise<void> {
  // Documents missing in the source are removed first, since they may violate unique indexes.
  if (!isEmpty) await removeOthers(source, target);
  for await (const batch of batches(source.find({}, EXACT), sizeOf)) {
    const known = isEmpty ? new Map<string, string>() : await digestsOf(target, batch);
    const missing = batch.filter((document) => !known.has(keyOf(document)));
    const changed = batch.filter(
      (document) => (known.get(keyOf(document)) ?? digestOf(document)) !== digestOf(document),
    );
    if (missing.length > 0) await target.insertMany(missing, { ordered: false });
    if (changed.length > 0)
      await target.bulkWrite(
        changed.map((replacement) => ({ replaceOne: { filter: { _id: replacement._id }, replacement } })),
      );
    onCopied(batch.length);
  }
}

/** @param onRead is called with the number of documents per batch */
export async function contentsOf(
  collection: Collection,
  filter: Document,
  onRead: (count: number) => void,
): Promise<Contents> {
  const sum = Buffer.alloc(32);
  let count = 0;
  for await (const batch of batches(collection.find(filter, EXACT), sizeOf)) {
    for (const document of batch) {
      const digest = hash('sha256', mongo.BSON.serialize(document), 'buffer');
      for (let index = 0; index < sum.length; index++) sum[index]! ^= digest[index]!;
    }
    count += batch.length;
    onRead(batch.length);
  }
  return { count, digest: sum.toString('hex') };
}

async function removeOthers(source: Collection, target: Collection): Promise<void> {
  for await (const batch of batches(target.find({}, { ...EXACT, projection: { _id: 1 } }), sizeOf)) {
    const ids = batch.map(({ _id }) => _id);
    const there = await source.find({ _id: { $in: ids } }, { ...EXACT, projection: { _id: 1 } }).toArray();
    const kept = new Set(there.map(keyOf));
    const others = batch.filter((document) => !kept.has(keyOf(document))).map(({ _id }) => _id);
    if (others.length > 0) await target.deleteMany({ _id: { $in: others } });
  }
}

async function digestsOf(target: Collection, documents: readonly Document[]): Promise<Map<string, string>> {
  const found = await target.find({ _id: { $in: documents.map(({ _id }) => _id) } }, EXACT).toArray();
  return new Map(found.map((document) => [keyOf(document), digestOf(document)]));
}

function keyOf({ _id }: Document): string {
  return Buffer.from(mongo.BSON.serialize({ _id })).toString('latin1');
}

function digestOf(document: Document): string {
  return hash('sha256', mongo.BSON.serialize(document), 'base64');
}
