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
  const { firstBatch, id } = valuesOf(cursor);
  const isWhole = id!.every((byte) => byte === 0);
  if (!isWhole) {
    const cursors = [mongo.Long.fromBytesLE([...id!])];
    // Nobody waits for it: a cursor that nobody reads is closed by the server in the end.
    void db.command({ killCursors: command.find, cursors }, { readPreference }).catch(() => undefined);
  }
  return { batch: firstBatch!, isWhole };
}

/** The bytes of each value of a document. */
function valuesOf(document: Uint8Array): Record<string, Uint8Array> {
  const elements = [...mongo.BSON.onDemand.parseToElements(document)];
  return Object.fromEntries(
    elements.map(([, name, nameLength, at, length]) => [
      Buffer.from(document.subarray(name, name + nameLength)).toString(),
      document.subarray(at, at + length),
    ]),
  );
}
