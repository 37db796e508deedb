import type { Connection } from 'mongoose';

/** Collections that the service uses without a model, or with one that only a running service has. */
const OWN = ['files.files', 'files.chunks', 'rate_limits', 'database_copy'];

/** Non-empty collections without a model in this process, such as those of modules that it does not have. */
export async function unknownCollections({ db, models }: Connection): Promise<string[]> {
  const known = new Set([...OWN, ...Object.values(models).map(({ collection }) => collection.name)]);
  const stored = await db!.listCollections({}, { nameOnly: true }).toArray();
  const unknown = stored.map(({ name }) => name).filter((name) => !known.has(name) && !name.startsWith('system.'));
  const hasData = await Promise.all(
    unknown.map(async (name) => (await db!.collection(name).findOne({}, { projection: { _id: 1 } })) !== null),
  );
  return unknown.filter((_, index) => hasData[index]).sort();
}
