import { Doc, decode, toNumber } from '../values/bson.js';
import { change, prepared, upsert } from '../update/change.js';
import { Command, deadlineOf, documentAt, namespaceOf } from '../server/server-state.js';
import { CommandError } from '../wire/errors.js';
import { constants } from '../expressions/expressions.js';
import { LATER } from '../server/slice.js';
import { runStatements, checkFields } from './statements.js';
import { Wanted, changeInSlices, targets } from '../update/targets.js';
import { Update, updater } from '../update/update.js';

export const insert: Command = async (state, body) => {
  const namespace = namespaceOf(body);
  const { done, errors } = await runStatements(state, body, {
    list: 'documents',
    run: (raw: Buffer) => {
      const [bytes, doc] = prepared(raw);
      state.records.insert(state.collection(namespace), bytes, doc);
    },
  });
  return { n: done.length, ...errors };
};

/** The result of one statement of an update. */
interface Updated {
  n: number;
  nModified: number;
  upserted?: Doc;
}

export const update: Command = async (state, body) => {
  const namespace = namespaceOf(body);
  const deadline = deadlineOf(body);
  checkFields(body, 'updates');
  const prepare = (statement: Doc): Prepared => {
    const filter = documentAt(statement, 'q');
    const variables = constants({ ...body.let, ...statement.c });
    const compiled = updater(statement.u, filter, statement.arrayFilters, variables);
    if (statement.multi && compiled.replacement)
      throw new CommandError('FailedToParse', 'multi update is not supported for replacement-style update');
    const query = { update: 1, hint: statement.hint, let: body.let };
    return { wanted: { namespace, filter, body: query, limit: statement.multi ? 0 : 1, deadline }, compiled };
  };
  const outcome = (statement: Doc, index: number, changed: boolean[], { wanted, compiled }: Prepared): Updated => {
    const n = changed.length;
    if (n || !statement.upsert) return { n, nModified: changed.filter(Boolean).length };
    const made = upsert(state, state.collection(namespace), wanted.filter, compiled);
    return { n: 1, nModified: 0, upserted: { index, _id: made._id } };
  };
  const { done, errors } = await runStatements<Updated>(state, body, {
    list: 'updates',
    run: (statement: Doc, index) => {
      const prepared = prepare(statement);
      const existing = state.catalogue.get(namespace);
      const found = existing ? targets(state, existing, prepared.wanted) : [];
      if (found === LATER) return LATER;
      const changed = found.map(
        ({ id, bytes, doc }) => change(state, existing!, id, doc ?? decode(bytes), prepared.compiled).changed,
      );
      return outcome(statement, index, changed, prepared);
    },
    runLong: async (statement: Doc, index) => {
      const prepared = prepare(statement);
      const changed = await changeInSlices(
        state,
        prepared.wanted,
        (collection, { id }, doc) => change(state, collection, id, doc, prepared.compiled).changed,
      );
      return state.write(() => outcome(statement, index, changed, prepared));
    },
  });
  // Counted only if the whole statement succeeded, as in MongoDB.
  const upserted = done.flatMap((one) => one.upserted ?? []);
  return {
    n: done.reduce((sum, { n }) => sum + n, 0),
    nModified: done.reduce((sum, { nModified }) => sum + nModified, 0),
    ...(upserted.length && { upserted }),
    ...errors,
  };
};

interface Prepared {
  wanted: Wanted;
  compiled: Update;
}

export const remove: Command = async (state, body) => {
  const namespace = namespaceOf(body);
  const deadline = deadlineOf(body);
  checkFields(body, 'deletes');
  const wanted = (statement: Doc): Wanted => {
    const filter = documentAt(statement, 'q');
    const limit = toNumber(statement.limit);
    if (limit !== 0 && limit !== 1)
      throw new CommandError('FailedToParse', `The limit field in delete objects must be 0 or 1. Got ${limit}`);
    return { namespace, filter, body: { delete: 1, hint: statement.hint, let: body.let }, limit, deadline };
  };
  const { done, errors } = await runStatements<number>(state, body, {
    list: 'deletes',
    removes: true,
    run: (statement: Doc) => {
      const existing = state.catalogue.get(namespace);
      const found = existing ? targets(state, existing, wanted(statement)) : (wanted(statement), []);
      if (found === LATER) return LATER;
      for (const { id, bytes, doc } of found) state.records.remove(existing!, id, doc ?? decode(bytes));
      return found.length;
    },
    runLong: async (statement: Doc) => {
      const removed = await changeInSlices(
        state,
        wanted(statement),
        (collection, { id }, doc) => state.records.remove(collection, id, doc),
        { removes: true },
      );
      return removed.length;
    },
  });
  return { n: done.reduce((sum, n) => sum + n, 0), ...errors };
};
