import { mongo } from 'mongoose';
import { wasRefused } from './database-unavailable.js';

/** The longest that any command may run in the server, in milliseconds: sweeps, migrations, exports. */
export const LONGEST_OPERATION_MS = 120_000;

/** The methods of a collection that run one command with a time limit, and the position of their options. */
const OPTIONS_AT = {
  aggregate: 1,
  bulkWrite: 1,
  countDocuments: 1,
  deleteMany: 1,
  deleteOne: 1,
  distinct: 2,
  estimatedDocumentCount: 0,
  find: 1,
  findOne: 1,
  findOneAndDelete: 1,
  findOneAndReplace: 2,
  findOneAndUpdate: 2,
  insertMany: 1,
  insertOne: 1,
  replaceOne: 2,
  updateMany: 2,
  updateOne: 2,
} as const satisfies Partial<Record<keyof mongo.Collection, number>>;

type Method = (...args: unknown[]) => Promise<unknown> | mongo.FindCursor;

/**
 * A client whose commands all have a time limit in the server, so that none goes on for a caller that has left, and which
 * repeats once what the driver does not, if the server did nothing. Mongoose and GridFS get their collections from it.
 * (The driver's own `timeoutMS` has no effect.)
 */
export class BoundedClient extends mongo.MongoClient {
  private readonly bounded: object;

  /** @param limitMs of commands that do not set `maxTimeMS` themselves */
  constructor(uri: string, options: mongo.MongoClientOptions, limitMs: () => number) {
    super(uri, options);
    this.bounded = boundedMethods(limitMs);
  }

  override db(name?: string, options?: mongo.DbOptions): mongo.Db {
    const db = super.db(name, options);
    db.collection = (...args: Parameters<mongo.Db['collection']>) =>
      Object.setPrototypeOf(mongo.Db.prototype.collection.apply(db, args), this.bounded) as never;
    return db;
  }
}

function boundedMethods(limitMs: () => number): object {
  const methods = Object.create(mongo.Collection.prototype) as Record<string, Method>;
  for (const [name, at] of Object.entries(OPTIONS_AT)) {
    const method = methods[name]!;
    methods[name] = function (this: unknown, ...args: unknown[]) {
      const options = args[at] as { maxTimeMS?: number } | undefined;
      args[at] = { ...options, maxTimeMS: Math.min(options?.maxTimeMS ?? limitMs(), LONGEST_OPERATION_MS) };
      const result = method.apply(this, args);
      if ('then' in result) return retried(result, () => method.apply(this, args) as Promise<unknown>);
      const read = result.toArray.bind(result);
      result.toArray = () => retried(read(), () => result.clone().toArray());
      return result;
    };
  }
  return methods;
}

async function retried<T>(first: Promise<T>, again: () => Promise<T>): Promise<T> {
  try {
    return await first;
  } catch (error) {
    if (!wasRefused(error)) throw error;
    return again();
  }
}
