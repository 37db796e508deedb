import { type Connection, mongo } from 'mongoose';
import { isTransient } from './database-unavailable.js';

/** What a `find` command asks for. Nothing in it is cast, so a filter is made of checked values. */
export interface FindCommand {
  find: string;
  filter: object;
  sort: object;
  skip: number;
  /** At least 1. */
  limit: number;
}

/** Documents as the database sent them. */
export interface FoundBytes {
  /** A BSON array. */
  batch: Uint8Array;
  /** False if there are more, within the limit, than fit into one answer of the database (16 MiB). */
  isWhole: boolean;
}

/** Reads documents without making objects of them, in one answer. Tries once more if a connection broke. */
export async function findBytes(connection: Connection, command: FindCommand): Promise<FoundBytes> {
  try {
    return await findOnce(connection, command);
  } catch (error) {
    // The driver does not know that this command only reads.
    if (!isTransient(error)) throw error;
    return findOnce(connection, command);
  }
}

async function findOnce({ db }: Connection, command: FindCommand): Promise<FoundBytes> {
  if (!db) throw new mongo.MongoNotConnectedError('There is no connection');
  const { readPreference, readConcern } = db;
  // With a batch that could have held more, MongoDB closes the cursor at once.
  const whole = { ...command, batchSize: command.limit + 1, ...(readConcern && { readConcern: readConcern.toJSON() }) };
  // What is nested in a `raw` answer is left as bytes.
  const { cursor } = (await db.command(whole, { raw: true, readPreference })) as { cursor: Uint8Array };
  const { batch, id } = partsOf(cursor);
  const isWhole = id.every((byte) => byte === 0);
  if (!isWhole) {
    const cursors = [mongo.Long.fromBytesLE([...id])];
    // Nobody waits for it: a cursor that nobody reads is closed by the server in the end.
    void db.command({ killCursors: command.find, cursors }, { readPreference }).catch(() => undefined);
  }
  return { batch, isWhole };
}

/** BSON's types of an array and of a number of 64 bits: a cursor has one of each. */
const [ARRAY, INT64] = [4, 18];

/** The documents of a cursor's first batch, and its number, which is 0 if there are no more. */
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
