import type { Doc } from '../values/bson.js';
import type { Collection, Index } from '../storage/catalogue.js';
import type { ServerState } from '../server/server-state.js';
import { CommandError } from '../wire/errors.js';
import { sameIndex } from './same-index.js';
import { prefix } from '../storage/records.js';
import { type Deadline, Slice, WRITE_SLICE_MS } from '../server/slice.js';

/** The progress of a build. */
interface Build {
  collection: number;
  /** The ids of the indexes that it fills. */
  ids: number[];
  /** The key of the next document. Undefined when all are done. */
  next?: Buffer;
  /** Just past the last document that existed when the build began. Later documents are written with the new indexes. */
  end: Buffer;
}

/**
 * Defines indexes and fills them, in as many transactions as necessary, so that other commands can run in between. From its
 * definition on, every write maintains an index; queries use it once it is complete. If a process dies during a build, the
 * next request for the same index finishes it. Two concurrent requests build it together: both write the same entries.
 *
 * @throws CommandError 11000 and others; then none of the indexes exists
 */
export async function buildIndexes(
  state: ServerState,
  namespace: string,
  specs: Doc[],
  deadline?: Deadline,
): Promise<Doc> {
  const begun = await state.write(() => {
    const existed = state.catalogue.get(namespace) !== undefined;
    const collection = state.collection(namespace);
    const before = collection.indexes.length;
    const missing = specs.filter((spec) => !sameIndex(collection.indexes, spec));
    const ids = missing.map((spec) => {
      const index = sameIndex(collection.building, spec) ?? state.catalogue.addIndex(collection, spec);
      return index.id;
    });
    const build: Build = {
      collection: collection.id,
      ids: [...new Set(ids)],
      next: prefix(collection.id),
      end: state.records.end(collection),
    };
    return { existed, before, ...advance(state, build, deadline) };
  });
  let { build, error, after } = begun;
  while (build.next && !error) {
    const last: Build = build;
    ({ build, error, after } = await state.write(() => advance(state, last, deadline)));
  }
  if (error) throw error;
  return {
    numIndexesBefore: begun.before,
    numIndexesAfter: after,
    createdCollectionAutomatically: !begun.existed,
    ...(after === begun.before && { note: 'all indexes already exist' }),
  };
}

/** Call within a write transaction. Runs one slice of a build. The last slice makes the indexes available to queries. */
function advance(
  state: ServerState,
  build: Build,
  deadline?: Deadline,
): { build: Build; error?: CommandError; after: number } {
  const collection = state.catalogue.all().find(({ id }) => id === build.collection);
  const left = build.ids.filter((id) => !collection?.indexes.some((index) => index.id === id));
  const indexes = collection?.building.filter(({ id }) => left.includes(id)) ?? [];
  if (!collection || indexes.length < left.length) {
    const error = new CommandError('IndexBuildAborted', 'the collection or the index was dropped while it was built');
    return { build, error, after: 0 };
  }
  try {
    deadline?.check();
    const slice = new Slice(WRITE_SLICE_MS);
    const next = left.length ? state.records.build(collection, indexes, build.next!, build.end, slice) : undefined;
    if (!next) settle(state, collection, indexes, [...collection.indexes, ...indexes]);
    return { build: { ...build, next }, after: collection.indexes.length };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    settle(state, collection, indexes, collection.indexes);
    for (const { id } of indexes) state.clear('keys', id);
    return { build, error, after: 0 };
  }
}

/** Ends the build of indexes. */
function settle(state: ServerState, collection: Collection, built: Index[], indexes: Index[]): void {
  if (!built.length) return;
  collection.indexes = indexes;
  collection.building = collection.building.filter((index) => !built.includes(index));
  state.catalogue.save(collection);
}
