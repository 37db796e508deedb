import { type Connection, mongo } from 'mongoose';
import { isTransient } from './database-unavailable.js';

/** Arguments of a `find` command. Nothing is cast, so filters must be built from validated values. */
export interface FindCommand {
  find: string;
  filter: object;
  projection?: object;
  sort: object;
  skip: number;
  /** At least 1. */
  limit: number;
}

type BoundedCommand = FindCommand & { readonly maxTimeMS: number };

/** Documents as the database sent them. */
export interface FoundBytes {
  /** A BSON array. */
  batch: Uint8Array;
  /** False if the limit was not reached because one reply (16 MiB) was full. */
  isWhole: boolean;
}

/** Reads documents in one reply without creating objects. Retries once if a connection was lost. */
export async function findBytes(connection: Connection, command: BoundedCommand): Promise<FoundBytes> {
  try {
    return await findOnce(connection, command);
  } catch (error) {
    // The driver does not know that this command only reads.
    if (!isTransient(error)) throw error;
    return findOnce(connection, command);
  }
}

async function findOnce({ db }: Connection, command: BoundedCommand): Promise<FoundBytes> {
  if (!db) throw new mongo.MongoNotConnectedError('There is no connection');
  const { readPreference, readConcern } = db;
  // If the batch could have held more, MongoDB closes the cursor at once.
  const whole = { ...command, batchSize: command.limit + 1, ...(readConcern && { readConcern: readConcern.toJSON() }) };
  // In a `raw` reply, nested values stay bytes.
  const { cursor } = (await db.command(whole, { raw: true, readPreference })) as { cursor: Uint8Array };
  const { batch, id } = partsOf(cursor);
  const isWhole = id.every((byte) => byte === 0);
  if (!isWhole) {
    const cursors = [mongo.Long.fromBytesLE([...id])];
    // Not awaited: the server eventually closes abandoned cursors itself.
    void db.command({ killCursors: command.find, cursors }, { readPreference }).catch(() => undefined);
  }
  return { batch, isWhole };
}

/** BSON types of an array and of an int64: a cursor has one of each. */
const [ARRAY, INT64] = [4, 18];

/** The documents of a cursor's first batch, and its id, which is 0 if there are no more. */
function partsOf(cursor: Uint8Array): { batch: Uint8Array; id: Uint8Array } {
  let batch: Uint8Array | undefined;
  let id: Uint8Array | undefined;
  for (const [type, , , at, length] of mongo.BSON.onDemand.parseToElements(cursor)) {
    if (type === ARRAY) batch = cursor.subarray(at, at + length);
    else if (type === INT64) id = cursor.subarray(at, at + length);
  }
  if (!batch || !id) throw new mongo.MongoUnexpectedServerResponseError('The answer has no cursor');
  return { batch, id };
}
