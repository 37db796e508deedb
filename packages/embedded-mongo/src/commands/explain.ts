import { hostname } from 'node:os';
import { Doc, isDocument } from '../values/bson.js';
import { VERSION } from './diagnostics.js';
import { Command, Connection, ServerState, countAt, documentAt, namespaceOf, queryOf } from '../server/server-state.js';
import { CommandError } from '../wire/errors.js';
import { matcher } from '../query/match.js';
import { unsupported } from '../wire/options.js';
import type { Plan } from '../query/plan.js';
import { Query, QueryScan } from '../query/query-scan.js';

const VERBOSITIES = ['queryPlanner', 'executionStats', 'allPlansExecution'];

/** The query of a command, built as the command itself would. */
const queries: Record<string, (command: Doc) => Doc> = {
  find: ({ filter, sort, skip, limit, hint }) => ({ filter, sort, skip, limit, hint }),
  count: ({ query, skip, limit, hint }) => ({ filter: query, skip, limit, hint }),
  distinct: ({ query, hint }) => ({ filter: query, hint }),
  findAndModify: ({ query, sort, hint }) => ({ filter: query, sort, hint, limit: 1 }),
  delete: ({ deletes }) => ({ filter: deletes?.[0]?.q, hint: deletes?.[0]?.hint, limit: deletes?.[0]?.limit }),
  update: ({ updates }) => ({ filter: updates?.[0]?.q, hint: updates?.[0]?.hint, limit: updates?.[0]?.multi ? 0 : 1 }),
};

/** Which index a command would use and, on request, what its execution examines. Nothing is written. */
export const explain: Command = async (state, body, connection) => {
  const command: unknown = body.explain;
  const verbosity = body.verbosity ?? 'allPlansExecution';
  if (!isDocument(command)) throw new CommandError('TypeMismatch', "BSON field 'explain.explain' is no object");
  if (!VERBOSITIES.includes(verbosity))
    throw new CommandError('FailedToParse', `verbosity must be one of ${VERBOSITIES.join(', ')}`);
  const name = Object.keys(command)[0] ?? '';
  if (!Object.hasOwn(queries, name)) throw unsupported(`explain of '${name}' is`, 'CommandNotSupported');
  const namespace = namespaceOf({ ...command, $db: body.$db });
  const wanted: Doc = {
    [name]: command[name],
    ...queries[name]!(command),
    let: command.let,
    maxTimeMS: body.maxTimeMS,
  };
  const filter = documentAt(wanted, 'filter');
  matcher(filter, documentAt(wanted, 'let'));
  const collection = state.catalogue.get(namespace);
  const query = collection && {
    ...queryOf(collection, wanted, filter),
    limit: Math.abs(countAt(wanted, 'limit')),
  };
  const scan = query && new QueryScan(state.store, state.records, query);
  return {
    explainVersion: '1',
    queryPlanner: {
      namespace,
      parsedQuery: filter,
      winningPlan: scan ? planned(scan.plan, query, wanted.sort, name) : { stage: 'EOF' },
      rejectedPlans: [],
    },
    ...(verbosity !== 'queryPlanner' && {
      executionStats: await executed(state, query, connection, name === 'count'),
    }),
    command: { ...command, $db: body.$db },
    serverInfo: { host: hostname(), version: VERSION, gitVersion: 'embedded-mongo' },
  };
};

function planned({ index, reverse, sorted, covered, ranges }: Plan, query: Query, sort: unknown, name: string): Doc {
  const direction = reverse ? 'backward' : 'forward';
  const filter = covered ? {} : { filter: query.filter };
  let stage: Doc = { stage: 'COLLSCAN', ...filter, direction };
  if (index) {
    const { spec, multikey, unique, sparse, partial } = index;
    stage = {
      stage: 'IXSCAN',
      keyPattern: spec.key,
      indexName: spec.name,
      isMultiKey: multikey,
      isUnique: unique,
      isSparse: sparse,
      isPartial: partial !== undefined,
      direction,
      ranges: ranges.length,
    };
    if (!covered || name !== 'count') stage = { stage: 'FETCH', ...filter, inputStage: stage };
  }
  if (!sorted) stage = { stage: 'SORT', sortPattern: sort, inputStage: stage };
  if (query.skip) stage = { stage: 'SKIP', skipAmount: query.skip, inputStage: stage };
  if (query.limit) stage = { stage: 'LIMIT', limitAmount: query.limit, inputStage: stage };
  return name === 'count' ? { stage: 'COUNT', inputStage: stage } : stage;
}

/** Runs the query and counts what it examines. */
async function executed(
  state: ServerState,
  query: Query | undefined,
  connection: Connection,
  counts: boolean,
): Promise<Doc> {
  const begun = performance.now();
  const met = { keys: 0, docs: 0 };
  let nReturned = 0;
  if (query) {
    const records: ServerState['records'] = Object.create(state.records);
    records.read = (...of) => {
      met.docs++;
      return state.records.read(...of);
    };
    const scan = new QueryScan(countingKeys(state, met), records, query);
    if (counts) nReturned = await scan.count(() => state.letOthersRun(connection));
    else for await (const _ of state.documents(scan, connection)) nReturned++;
  }
  return {
    executionSuccess: true,
    nReturned,
    executionTimeMillis: Math.round(performance.now() - begun),
    totalKeysExamined: met.keys,
    totalDocsExamined: met.docs,
  };
}

/** The store, with an index table that counts the entries read. */
function countingKeys({ store }: ServerState, met: { keys: number }): ServerState['store'] {
  let last: Buffer | undefined;
  const keys = {
    getKeys: (range: object) => {
      const entries = store.keys.getKeys(range)[Symbol.iterator]();
      return {
        [Symbol.iterator]: () => ({
          next: () => {
            const entry = entries.next();
            // After yielding, a scan starts again at the entry where it stopped.
            if (!entry.done && !last?.equals(entry.value)) met.keys++;
            last = entry.value ?? last;
            return entry;
          },
          return: () => entries.return!(),
        }),
      };
    },
    getKeysCount: (range: object) => {
      const count = store.keys.getKeysCount(range);
      met.keys += count;
      return count;
    },
  };
  return Object.create(store, { keys: { value: keys } });
}
