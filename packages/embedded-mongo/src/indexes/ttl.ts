import { decode } from '../values/bson.js';
import type { ServerState } from '../server/server-state.js';
import { QueryScan } from '../query/query-scan.js';
import { isStoreFailure } from '../commands/statements.js';

const INTERVAL_MS = 60_000;
const AT_ONCE = 200;

/** Removes documents that have expired under a TTL index, once a minute, as MongoDB does. Returns a function that stops it. */
export function expire(state: ServerState): () => void {
  const timer = setInterval(() => {
    // The store is closing or the disk is full. The next run tries again.
    sweep(state, Date.now()).catch(() => undefined);
  }, INTERVAL_MS).unref();
  return () => clearInterval(timer);
}

/** One pass over all TTL indexes. Resolves to the number of removed documents. */
export async function sweep(state: ServerState, now: number): Promise<number> {
  await state.store.ready;
  state.refresh();
  const expiring = state.catalogue
    .all()
    .flatMap(({ namespace, indexes }) =>
      indexes
        .filter(({ spec }) => spec.expireAfterSeconds !== undefined)
        .map(({ spec }) => ({ namespace, name: spec.name })),
    );
  let total = 0;
  for (const { namespace, name } of expiring) {
    try {
      let removed: number;
      do {
        removed = await state.write(() => sweepIndex(state, namespace, name, now), { removes: true });
        total += removed;
      } while (removed === AT_ONCE);
    } catch (error) {
      if (isStoreFailure(error)) throw error;
      state.store.warn(
        `the expired documents of ${namespace} (index ${name}) cannot be removed: ${(error as Error).message}`,
      );
    }
  }
  return total;
}

function sweepIndex(state: ServerState, namespace: string, name: string, now: number): number {
  const collection = state.catalogue.get(namespace);
  const hint = collection?.indexes.find(({ spec }) => spec.name === name);
  if (!collection || !hint) return 0;
  const { path } = hint.fields[0]!;
  const limit = new Date(now - Number(hint.spec.expireAfterSeconds) * 1000);
  const scan = new QueryScan(state.store, state.records, {
    collection,
    // Of several dates in an array, the earliest counts.
    filter: { [path]: { $lte: limit } },
    sort: [],
    skip: 0,
    limit: AT_ONCE,
    hint,
  });
  const found = scan.all();
  for (const { id, bytes } of found) state.records.remove(collection, id, decode(bytes));
  return found.length;
}
