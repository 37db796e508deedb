import { Long, MAX_DOCUMENT, decode, encode, isLong, joinArray } from '../values/bson.js';
import type { Source } from '../server/cursors.js';
import { Command, NO_CURSOR, countAt, documentAt, integerAt, namespaceOf, queryOf } from '../server/server-state.js';
import { CommandError } from '../wire/errors.js';
import { matcher } from '../query/match.js';
import { sortable } from '../values/order.js';
import { indexKeys } from '../values/paths.js';
import { projector } from '../query/project.js';
import { LATER } from '../server/slice.js';
import { QueryScan } from '../query/query-scan.js';
import { cursorReply } from '../wire/wire.js';

export const find: Command = async (state, body, connection) => {
  const namespace = namespaceOf(body);
  const filter = documentAt(body, 'filter');
  const names = Object.keys(documentAt(body, 'let'));
  const project = projector(documentAt(body, 'projection'), { filter, names });
  const limit = countAt(body, 'limit');
  const batchSize = body.batchSize === undefined ? undefined : countAt(body, 'batchSize');
  const collection = state.catalogue.get(namespace);
  if (!collection) {
    const query = queryOf(
      { id: 0, namespace, uuid: '', options: {}, indexes: [], building: [] },
      { ...body, hint: undefined },
      filter,
    );
    matcher(filter, query.let);
    return cursorReply('firstBatch', joinArray([]), NO_CURSOR, namespace);
  }
  const query = { ...queryOf(collection, body, filter), limit };
  const scan = new QueryScan(state.store, state.records, query);
  const source: Source = {
    next: () => {
      const found = scan.poll();
      if (found === LATER) return LATER;
      return found && project ? encode(project(found.doc ?? decode(found.bytes), query.let)) : found?.bytes;
    },
    pause: () => scan.pause(),
    deadline: query.deadline,
    lasting: body.noCursorTimeout === true,
  };
  const { batch, id } = await state.cursors.start(namespace, source, batchSize, body.singleBatch === true, () =>
    state.letOthersRun(connection),
  );
  return cursorReply('firstBatch', joinArray(batch), id, namespace);
};

export const getMore: Command = async (state, body, connection) => {
  const namespace = namespaceOf(body, 'collection');
  if (!(body.getMore instanceof Long))
    throw new CommandError('TypeMismatch', "BSON field 'getMore.getMore' is the wrong type, expected type 'long'");
  const { batch, id } = await state.cursors.more(namespace, body.getMore, countAt(body, 'batchSize'), () =>
    state.letOthersRun(connection),
  );
  return cursorReply('nextBatch', joinArray(batch), id, namespace);
};

export const killCursors: Command = (state, body) => {
  const ids: Long[] = body.cursors;
  if (!Array.isArray(ids) || !ids.every(isLong))
    throw new CommandError(
      'TypeMismatch',
      "BSON field 'killCursors.cursors' is the wrong type, expected an array of type 'long'",
    );
  const killed = ids.filter((id) => state.cursors.kill(id));
  return {
    cursorsKilled: killed,
    cursorsNotFound: ids.filter((id) => !killed.includes(id)),
    cursorsAlive: [],
    cursorsUnknown: [],
  };
};

export const count: Command = async (state, body, connection) => {
  const collection = state.catalogue.get(namespaceOf(body));
  const filter = documentAt(body, 'query');
  matcher(filter);
  const limit = Math.abs(integerAt(body, 'limit'));
  if (!collection) return { n: 0 };
  const scan = new QueryScan(state.store, state.records, { ...queryOf(collection, body, filter), limit });
  return { n: await scan.count(() => state.letOthersRun(connection)) };
};

export const distinct: Command = async (state, body, connection) => {
  const collection = state.catalogue.get(namespaceOf(body));
  if (typeof body.key !== 'string')
    throw new CommandError('TypeMismatch', "BSON field 'distinct.key' is the wrong type, expected type 'string'");
  if (!collection) return { values: [] };
  const scan = new QueryScan(state.store, state.records, queryOf(collection, body, documentAt(body, 'query')));
  const values = new Map<string, unknown>();
  const path = body.key.split('.');
  let size = 0;
  for await (const { bytes, doc } of state.documents(scan, connection)) {
    for (const [value] of indexKeys(doc ?? decode(bytes), [path])) {
      if (value === undefined || typeof value === 'symbol') continue;
      const key = sortable(value).toString('latin1');
      if (!values.has(key)) size += key.length;
      if (size > MAX_DOCUMENT) throw new CommandError(17217, 'distinct too big, 16mb cap');
      values.set(key, value);
    }
  }
  const sorted = [...values].sort(([a], [b]) => (a < b ? -1 : 1));
  return { values: sorted.map(([, value]) => value) };
};
