import { type Connection, mongo } from 'mongoose';
import { isMomentary } from './database-away.js';

/** What a `find` command asks for. Nothing in it is cast, so a filter is made of checked values. */
export interface FindCommand {
  find: string;
  filter: object;
  sort: object;
  skip: number;
  /** At least 1. */
  limit: number;
}

/**
 * Reads documents without making objects of them.
 *
 * @returns a BSON array; undefined where not all came in one answer, or a connection broke: the driver's cursors, which
 *   go on, and try again, are then the way.
 */
export async function findBytes({ db }: Connection, command: FindCommand): Promise<Uint8Array | undefined> {
  if (!db) return undefined;
  const { readPreference, readConcern } = db;
  // With a batch that could have held more, MongoDB closes the cursor at once.
  const whole = { ...command, batchSize: command.limit + 1, ...(readConcern && { readConcern: readConcern.toJSON() }) };
  try {
    // What is nested in a `raw` answer is left as bytes.
    const { cursor } = (await db.command(whole, { raw: true, readPreference })) as { cursor: Uint8Array };
    const { firstBatch, id } = valuesOf(cursor);
    if (id?.every((byte) => byte === 0)) return firstBatch;
    const cursors = [mongo.Long.fromBytesLE([...id!])];
    await db.command({ killCursors: command.find, cursors }, { readPreference });
  } catch (error) {
    if (!isMomentary(error)) throw error;
  }
  return undefined;
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
