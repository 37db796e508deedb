import { BSONError } from 'bson';
import { Doc, decode } from './bson.js';
import type { Collection, Index } from './catalogue.js';
import { Command, ServerState, namespaceOf } from './server-state.js';
import { CommandError } from './errors.js';
import { type Pace, inSlices, paceOf } from './in-slices.js';
import { keysOf, recordIdOf } from './records.js';

/** At most this many faults of each kind are reported. */
const MAX_REPORTED = 100;

/**
 * Reads every document of a collection and every index entry, and checks that they match.
 * @throws CommandError 175 if the collection or an index is dropped meanwhile
 */
export const validate: Command = async (state, body, connection) => {
  const ns = namespaceOf(body);
  const collection = state.catalogue.get(ns);
  if (!collection) throw new CommandError('NamespaceNotFound', `Collection '${ns}' does not exist to validate.`);
  const pace = paceOf(state, body, connection);
  const corruptRecords: Buffer[] = [];
  const errors: string[] = [];
  const fault = (text: string): void => {
    if (errors.length < MAX_REPORTED) errors.push(text);
  };
  let nrecords = 0;
  await inSlices(state, 'docs', collection.id, pace, (keys) => {
    for (const index of collection.indexes) state.records.current(collection, index);
    for (const key of keys) {
      const id = recordIdOf(key);
      const doc = read(state, collection, id);
      nrecords++;
      if (!doc) corruptRecords.push(id);
      else
        for (const index of missing(state, collection, id, doc)) fault(`index ${index} lacks an entry for a document`);
    }
  });
  const keysPerIndex: Record<string, number> = {};
  const indexDetails: Record<string, Doc> = {};
  for (const index of collection.indexes) {
    const { spec } = index;
    const { entries, extra } = await entriesOf(state, collection, index, pace);
    if (extra) fault(`index ${spec.name} has ${extra} entries without a document`);
    keysPerIndex[spec.name] = entries;
    indexDetails[spec.name] = { valid: !errors.some((text) => text.startsWith(`index ${spec.name} `)), spec };
  }
  if (corruptRecords.length) fault(`unreadable documents: ${corruptRecords.length}`);
  return {
    ns,
    nInvalidDocuments: corruptRecords.length,
    nrecords,
    nIndexes: collection.indexes.length,
    keysPerIndex,
    indexDetails,
    valid: errors.length === 0,
    warnings: [],
    errors,
  };
};

/** Undefined if it is damaged. */
function read(state: ServerState, collection: Collection, id: Buffer): Doc | undefined {
  try {
    const bytes = state.records.read(collection, id);
    return bytes && decode(bytes);
  } catch (error) {
    if (error instanceof CommandError || error instanceof BSONError) return undefined;
    throw error;
  }
}

function missing(state: ServerState, collection: Collection, id: Buffer, doc: Doc): string[] {
  return collection.indexes
    .filter((index) => !keysOf(index, doc).every((key) => state.store.keys.doesExist(Buffer.concat([key, id]))))
    .map(({ spec }) => spec.name);
}

async function entriesOf(
  state: ServerState,
  collection: Collection,
  index: Index,
  pace: Pace,
): Promise<{ entries: number; extra: number }> {
  let entries = 0;
  let extra = 0;
  await inSlices(state, 'keys', index.id, pace, (keys) => {
    state.records.current(collection, index);
    for (const entry of keys) {
      entries++;
      const id = recordIdOf(entry);
      const doc = read(state, collection, id);
      if (!doc || !keysOf(index, doc).some((key) => Buffer.concat([key, id]).equals(entry))) extra++;
    }
  });
  return { entries, extra };
}
