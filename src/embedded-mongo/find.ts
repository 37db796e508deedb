import { Long, decode, encode, isLong, joinArray } from './bson.js';
import type { Source } from './cursors.js';
import { Command, NO_CURSOR, countAt, documentAt, integerAt, namespaceOf, queryOf } from './engine.js';
import { CommandError } from './errors.js';
import { matcher } from './match.js';
import { sortable } from './order.js';
import { indexKeys } from './paths.js';
import { projector } from './project.js';
import { LATER } from './slice.js';
import { Walk } from './walk.js';
import { cursorReply } from './wire.js';

/** Options that would change the answer. */
const REFUSED = ['min', 'max', 'returnKey', 'showRecordId', 'tailable'];

export const find: Command = async (engine, body) => {
  const namespace = namespaceOf(body);
  const refused = REFUSED.find((name) => body[name]);
  if (refused) throw new CommandError('InvalidOptions', `'${refused}' is not supported by embedded-mongo`);
  const filter = documentAt(body, 'filter');
  const project = projector(documentAt(body, 'projection'), filter);
  const limit = countAt(body, 'limit');
  const batchSize = body.batchSize === undefined ? undefined : countAt(body, 'batchSize');
  const collection = engine.catalogue.get(namespace);
  if (!collection) {
    const query = queryOf(
      { id: 0, namespace, uuid: '', options: {}, indexes: [] },
      { ...body, hint: undefined },
      filter,
    );
    matcher(filter, query.let);
    return cursorReply('firstBatch', joinArray([]), NO_CURSOR, namespace);
  }
  const walk = new Walk(engine.store, engine.records, { ...queryOf(collection, body, filter), limit });
  const source: Source = {
    next: () => {
      const found = walk.poll();
      if (found === LATER) return LATER;
      return found && project ? encode(project(found.doc ?? decode(found.bytes))) : found?.bytes;
    },
    pause: () => walk.pause(),
  };
  const { batch, id } = await engine.cursors.start(namespace, source, batchSize, body.singleBatch === true);
  return cursorReply('firstBatch', joinArray(batch), id, namespace);
};

export const getMore: Command = async (engine, body) => {
  const namespace = namespaceOf(body, 'collection');
  if (!(body.getMore instanceof Long))
    throw new CommandError('TypeMismatch', "BSON field 'getMore.getMore' is the wrong type, expected type 'long'");
  const { batch, id } = await engine.cursors.more(namespace, body.getMore, countAt(body, 'batchSize'));
  return cursorReply('nextBatch', joinArray(batch), id, namespace);
};

export const killCursors: Command = (engine, body) => {
  const ids: Long[] = body.cursors;
  if (!Array.isArray(ids) || !ids.every(isLong))
    throw new CommandError(
      'TypeMismatch',
      "BSON field 'killCursors.cursors' is the wrong type, expected an array of type 'long'",
    );
  const killed = ids.filter((id) => engine.cursors.kill(id));
  return {
    cursorsKilled: killed,
    cursorsNotFound: ids.filter((id) => !killed.includes(id)),
    cursorsAlive: [],
    cursorsUnknown: [],
  };
};

export const count: Command = async (engine, body) => {
  const collection = engine.catalogue.get(namespaceOf(body));
  const filter = documentAt(body, 'query');
  matcher(filter);
  const limit = Math.abs(integerAt(body, 'limit'));
  if (!collection) return { n: 0 };
  const walk = new Walk(engine.store, engine.records, { ...queryOf(collection, body, filter), limit });
  return { n: await walk.count(() => engine.turn()) };
};

export const distinct: Command = async (engine, body) => {
  const collection = engine.catalogue.get(namespaceOf(body));
  if (typeof body.key !== 'string')
    throw new CommandError('TypeMismatch', "BSON field 'distinct.key' is the wrong type, expected type 'string'");
  if (!collection) return { values: [] };
  const walk = new Walk(engine.store, engine.records, queryOf(collection, body, documentAt(body, 'query')));
  const values = new Map<string, unknown>();
  const path = body.key.split('.');
  for await (const { bytes } of engine.documents(walk)) {
    for (const [value] of indexKeys(decode(bytes), [path])) {
      if (value !== undefined && typeof value !== 'symbol') values.set(sortable(value).toString('latin1'), value);
    }
  }
  const sorted = [...values].sort(([a], [b]) => (a < b ? -1 : 1));
  return { values: sorted.map(([, value]) => value) };
};
