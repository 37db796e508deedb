import { mongo } from 'mongoose';
import { wasRefused } from './database-unavailable.js';
import { isDuplicateKey } from './duplicate-key.js';

/** The longest that any command may run in the server, in milliseconds: sweeps, migrations, exports. */
export const LONGEST_OPERATION_MS = 120_000;

/** The methods of a collection that run a command: which, unless they call another of these; where their options are. */
const METHODS: ReadonlyArray<[command: string | undefined, optionsAt: number, names: Array<keyof mongo.Collection>]> = [
  ['find', 1, ['find']],
  ['aggregate', 1, ['aggregate']],
  [undefined, 1, ['countDocuments', 'findOne', 'insertMany']],
  ['write', 1, ['bulkWrite']],
  ['insert', 1, ['insertOne']],
  ['delete', 1, ['deleteMany', 'deleteOne']],
  ['update', 2, ['replaceOne', 'updateMany', 'updateOne']],
  ['findAndModify', 1, ['findOneAndDelete']],
  ['findAndModify', 2, ['findOneAndReplace', 'findOneAndUpdate']],
  ['distinct', 2, ['distinct']],
  ['count', 0, ['estimatedDocumentCount']],
];

/** What a command is for. */
export type CommandTarget = { readonly dbName: string; readonly collectionName?: string };

/**
 * Told of a command before it begins, which may wait for a connection and be repeated by the driver. (The driver's own
 * events cost a tenth of a read.)
 *
 * @returns told of its end, and of the error with which it failed, unless a key was taken
 */
export type CommandFollower = (command: string, target: CommandTarget) => CommandEnd;
type CommandEnd = (error?: unknown) => void;

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
    this.bounded = boundedMethods(limitMs, (...command) => this.beginCommand(...command));
  }

  override db(name?: string, options?: mongo.DbOptions): mongo.Db {
    const db = super.db(name, options);
    db.collection = (...args: Parameters<mongo.Db['collection']>) =>
      Object.setPrototypeOf(mongo.Db.prototype.collection.apply(db, args), this.bounded) as never;
    db.command = (command, ...more) => {
      const [[name = '', of]] = Object.entries(command) as [[string, unknown]];
      const end = this.beginCommand(name, {
        dbName: db.databaseName,
        ...(typeof of === 'string' && { collectionName: of }),
      });
      return followCommand(() => mongo.Db.prototype.command.call(db, command, ...more), end);
    };
    return db;
  }

  private beginCommand(...command: Parameters<CommandFollower>): CommandEnd {
    const ends = this.followers.map((follow) => follow(...command));
    return (error) => ends.forEach((end) => end(isDuplicateKey(error) ? undefined : error));
  }
}

function boundedMethods(limitMs: () => number, follow: CommandFollower): object {
  const methods = Object.create(mongo.Collection.prototype) as Record<string, Method>;
  const all = METHODS.flatMap(([command, at, names]) => names.map((name) => [command, at, name] as const));
  for (const [command, at, name] of all) {
    const method = methods[name]!;
    methods[name] = function (this: CommandTarget, ...args: unknown[]) {
      const options = args[at] as { maxTimeMS?: number } | undefined;
      args[at] = { ...options, maxTimeMS: Math.min(options?.maxTimeMS ?? limitMs(), LONGEST_OPERATION_MS) };
      const begin = () => (command ? follow(command === 'write' ? kindOf(args[0]) : command, this) : undefined);
      const call = () => method.apply(this, args);
      if (command !== 'find' && command !== 'aggregate') return repeatCommand(call as () => Promise<unknown>, begin);
      const cursor = call() as mongo.FindCursor;
      const [read, next] = [cursor.toArray.bind(cursor), cursor.next.bind(cursor)];
      cursor.toArray = () => repeatCommand(read, begin, () => cursor.clone().toArray());
      cursor.next = () => {
        if (cursor.bufferedCount() > 0 || cursor.id?.isZero()) return next();
        return followCommand(next, follow(cursor.id ? 'getMore' : command, this));
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

async function followCommand<T>(call: () => Promise<T>, end?: CommandEnd): Promise<T> {
  try {
    const result = await call();
    end?.();
    return result;
  } catch (error) {
    end?.(error);
    throw error;
  }
}

function repeatCommand<T>(call: () => Promise<T>, begin: () => CommandEnd | undefined, again = call): Promise<T> {
  return followCommand(call, begin()).catch((error: unknown) => {
    if (!wasRefused(error)) throw error;
    return followCommand(again, begin());
  });
}
