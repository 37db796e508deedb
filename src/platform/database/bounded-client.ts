import { mongo } from 'mongoose';
import { wasRefused } from './database-unavailable.js';

/** The longest that any command may run in the server, in milliseconds: sweeps, migrations, exports. */
export const LONGEST_OPERATION_MS = 120_000;

/**
 * The methods of a collection that run one command with a time limit: the position of their options, and the command,
 * unless they call another of these methods.
 */
const METHODS = {
  aggregate: [1, 'aggregate'],
  bulkWrite: [1, 'write'],
  countDocuments: [1],
  deleteMany: [1, 'delete'],
  deleteOne: [1, 'delete'],
  distinct: [2, 'distinct'],
  estimatedDocumentCount: [0, 'count'],
  find: [1, 'find'],
  findOne: [1],
  findOneAndDelete: [1, 'findAndModify'],
  findOneAndReplace: [2, 'findAndModify'],
  findOneAndUpdate: [2, 'findAndModify'],
  insertMany: [1],
  insertOne: [1, 'insert'],
  replaceOne: [2, 'update'],
  updateMany: [2, 'update'],
  updateOne: [2, 'update'],
} as const satisfies Partial<Record<keyof mongo.Collection, [number, string?]>>;

/** What a command is for. */
export interface CommandTarget {
  readonly dbName: string;
  readonly collectionName?: string;
}

/**
 * Told of a command before it begins, which may wait for a connection and be repeated by the driver. (The driver's own
 * events cost a tenth of a read.)
 *
 * @returns told of its end, and of the error with which it failed
 */
export type CommandFollower = (command: string, target: CommandTarget) => (error?: unknown) => void;

type Method = (...args: unknown[]) => Promise<unknown> | mongo.FindCursor;

/**
 * A client whose commands all have a time limit in the server, so that none goes on for a caller that has left, and which
 * repeats once what the driver does not, if the server did nothing. Mongoose and GridFS get their collections from it.
 * (The driver's own `timeoutMS` has no effect.)
 */
export class BoundedClient extends mongo.MongoClient {
  private readonly bounded: object;

  /** @param limitMs of commands that do not set `maxTimeMS` themselves */
  constructor(
    uri: string,
    options: mongo.MongoClientOptions,
    limitMs: () => number,
    private readonly followers: readonly CommandFollower[] = [],
  ) {
    super(uri, options);
    this.bounded = boundedMethods(limitMs, (...command) => this.begin(...command));
  }

  override db(name?: string, options?: mongo.DbOptions): mongo.Db {
    const db = super.db(name, options);
    db.collection = (...args: Parameters<mongo.Db['collection']>) =>
      Object.setPrototypeOf(mongo.Db.prototype.collection.apply(db, args), this.bounded) as never;
    const target = { dbName: db.databaseName };
    db.command = (command, ...more) => {
      const [[name = '', of]] = Object.entries(command) as [[string, unknown]];
      const end = this.begin(name, typeof of === 'string' ? { ...target, collectionName: of } : target);
      return followed(() => mongo.Db.prototype.command.call(db, command, ...more), end);
    };
    return db;
  }

  private begin(...command: Parameters<CommandFollower>): (error?: unknown) => void {
    const ends = this.followers.map((follow) => follow(...command));
    return (error) => ends.forEach((end) => end(error));
  }
}

function boundedMethods(limitMs: () => number, follow: CommandFollower): object {
  const methods = Object.create(mongo.Collection.prototype) as Record<string, Method>;
  for (const [name, [at, command]] of Object.entries(METHODS) as Array<[string, [number, string?]]>) {
    const method = methods[name]!;
    methods[name] = function (this: CommandTarget, ...args: unknown[]) {
      const options = args[at] as { maxTimeMS?: number } | undefined;
      args[at] = { ...options, maxTimeMS: Math.min(options?.maxTimeMS ?? limitMs(), LONGEST_OPERATION_MS) };
      const begin = () => (command ? follow(command === 'write' ? kindOf(args[0]) : command, this) : undefined);
      const call = () => method.apply(this, args);
      if (command !== 'find' && command !== 'aggregate') return repeated(call as () => Promise<unknown>, begin);
      const cursor = call() as mongo.FindCursor;
      const [read, next] = [cursor.toArray.bind(cursor), cursor.next.bind(cursor)];
      let reads = 0;
      cursor.toArray = () => repeated(() => (reads++ === 0 ? read() : cursor.clone().toArray()), begin);
      cursor.next = () => {
        if (cursor.bufferedCount() > 0 || cursor.id?.isZero()) return next();
        return followed(next, follow(cursor.id ? 'getMore' : command, this));
      };
      return cursor;
    };
  }
  return methods;
}

/** The command of several writes: that of the first. */
function kindOf(writes: unknown): string {
  const [name = ''] = Object.keys((writes as object[])[0] ?? {});
  return /^(insert|delete)/.exec(name)?.[0] ?? 'update';
}

async function followed<T>(call: () => Promise<T>, end?: (error?: unknown) => void): Promise<T> {
  try {
    const result = await call();
    end?.();
    return result;
  } catch (error) {
    end?.(error);
    throw error;
  }
}

async function repeated<T>(call: () => Promise<T>, begin: () => ReturnType<CommandFollower> | undefined): Promise<T> {
  try {
    return await followed(call, begin());
  } catch (error) {
    if (!wasRefused(error)) throw error;
    return followed(call, begin());
  }
}
