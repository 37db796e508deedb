import { Doc, decode } from '../values/bson.js';
import type { Collection } from '../storage/catalogue.js';
import { ServerState, queryOf } from '../server/server-state.js';
import { matcher } from '../query/match.js';
import { numberOf, recordId } from '../storage/records.js';
import { LATER, Slice, WRITE_SLICE_MS, type Deadline } from '../server/slice.js';
import { Found, Query, QueryScan } from '../query/query-scan.js';

/** The documents that a statement applies to. */
export interface Wanted {
  namespace: string;
  filter: Doc;
  /** `hint`, `let` and `sort`, as in a query. */
  body: Doc;
  /** 1, or 0 for all. */
  limit: 0 | 1;
  deadline?: Deadline;
}

/** At most this many documents are changed in one transaction. */
const MAX_AT_ONCE = 100;
/** How often to search again for a document that others have changed since it was found. */
const ATTEMPTS = 10;

const queryFor = (collection: Collection, { filter, body, limit, deadline }: Wanted): Query => ({
  ...queryOf(collection, { ...body, maxTimeMS: undefined, limit: undefined, skip: undefined }, filter),
  skip: 0,
  limit,
  deadline,
});

/** Call within a write transaction, before any change. A statement's documents, or `LATER` if finding them takes long. */
export function targets(state: ServerState, collection: Collection, wanted: Wanted): Found[] | typeof LATER {
  const scan = new QueryScan(state.store, state.records, queryFor(collection, wanted));
  const found: Found[] = [];
  try {
    for (let next = scan.poll(); next; next = scan.poll()) {
      if (next === LATER || found.length >= MAX_AT_ONCE) return LATER;
      found.push(next);
    }
    return found;
  } finally {
    scan.pause();
  }
}

/**
 * Finds the documents of a long statement, then changes them, both in slices. A document is changed if it
 * still matches by then. Resolves to the results of `change`.
 */
export async function changeInSlices<T>(
  state: ServerState,
  wanted: Wanted,
  change: (collection: Collection, found: Found, doc: Doc) => T,
  options?: { removes?: boolean },
): Promise<T[]> {
  const test = matcher(wanted.filter, wanted.body.let);
  const changed: T[] = [];
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { collection, numbers } = await find(state, wanted);
    for (let at = 0; collection && at < numbers.length;) {
      wanted.deadline?.check();
      const from = at;
      const part = await state.write(() => {
        const slice = new Slice(WRITE_SLICE_MS);
        const done: T[] = [];
        const current = state.catalogue.all().find(({ id }) => id === collection.id);
        let next = from;
        for (; current && next < numbers.length && (next === from || !slice.over()); next++) {
          const id = recordId(numbers[next]!);
          const bytes = state.records.read(current, id);
          const doc = bytes && decode(bytes);
          if (doc && test(doc)) done.push(change(current, { id, bytes, doc }, doc));
        }
        return { next: current ? next : numbers.length, done };
      }, options);
      at = part.next;
      changed.push(...part.done);
    }
    if (wanted.limit === 0 || changed.length || !numbers.length) break;
  }
  return changed;
}

async function find(state: ServerState, wanted: Wanted): Promise<{ collection?: Collection; numbers: number[] }> {
  await state.letOthersRun();
  const collection = state.catalogue.get(wanted.namespace);
  const numbers: number[] = [];
  if (!collection) return { numbers };
  const scan = new QueryScan(state.store, state.records, queryFor(collection, wanted));
  for await (const { id } of state.documents(scan)) numbers.push(numberOf(id));
  return { collection, numbers };
}
