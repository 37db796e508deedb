import { type Model, mongo } from 'mongoose';
import { isDatabaseUnavailable } from './database-unavailable.js';
import { DatabaseRefusedError, preparing } from './database-refused.js';

/**
 * MongoDB's codes for an index that conflicts with another by name or key: IndexOptionsConflict and
 * IndexKeySpecsConflict.
 */
const CONFLICTS = [85, 86];

/**
 * Builds missing indexes of a schema. An index that differs from its schema is reported, but not rebuilt: meanwhile
 * nothing would enforce its uniqueness.
 *
 * @throws DatabaseRefusedError
 */
export async function buildIndexes(model: Model<unknown>): Promise<void> {
  const { name } = model.collection;
  await preparing(`an index of the collection ${name}`, async () => {
    try {
      const indexes = indexesOf(model);
      // In one command; Mongoose would send one for each.
      if (indexes.length > 0) await model.collection.createIndexes(indexes);
    } catch (error) {
      if (!(error instanceof mongo.MongoServerError) || !CONFLICTS.includes(Number(error.code))) throw error;
      const indexes = await changedIndexes(model);
      throw new DatabaseRefusedError(
        `Stored indexes of the collection ${name} differ from its schema: ${indexes.join(', ') || 'unknown'}. Drop them, by hand or in a migration, and start again to build them anew.`,
      );
    }
  });
}

function indexesOf(model: Model<unknown>): mongo.IndexDescription[] {
  return model.schema.indexes().map(([keys, { background: _, ...options }]) => ({
    ...(options as Partial<mongo.IndexDescription>),
    key: keys as mongo.IndexDescription['key'],
  }));
}

/** The names of stored indexes that conflict with those of the schema. */
async function changedIndexes(model: Model<unknown>): Promise<string[]> {
  try {
    const [stored, { toDrop }] = await Promise.all([model.listIndexes(), model.diffIndexes()]);
    const wanted = model.schema.indexes().map(([keys, options]) => ({ keys, name: options?.name ?? nameOf(keys) }));
    return stored
      .filter(({ name }) => toDrop.includes(name))
      .filter((index) => wanted.some(({ keys, name }) => name === index.name || nameOf(keys) === nameOf(index.key)))
      .map(({ name }) => String(name));
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    return [];
  }
}

function nameOf(keys: object): string {
  return Object.entries(keys).flat().join('_');
}
