import { Doc, decode } from '../values/bson.js';
import type { Collection } from '../storage/catalogue.js';
import { change, upsert } from '../update/change.js';
import { Command, deadlineOf, documentAt, namespaceOf } from '../server/server-state.js';
import { CommandError } from '../wire/errors.js';
import { constants } from '../expressions/expressions.js';
import { projector } from '../query/project.js';
import type { RecordId } from '../storage/records.js';
import { LATER } from '../server/slice.js';
import { Wanted, changeInSlices, targets } from '../update/targets.js';
import { updater } from '../update/update.js';

export const findAndModify: Command = async (state, body) => {
  const namespace = namespaceOf(body);
  const filter = documentAt(body, 'query');
  if (!body.remove === (body.update === undefined))
    throw new CommandError('FailedToParse', 'Either an update or remove=true must be specified');
  if (body.remove && body.new) {
    const message = "Cannot specify both new=true and remove=true; 'remove' always returns the deleted document";
    throw new CommandError('FailedToParse', message);
  }
  if (body.remove && body.upsert)
    throw new CommandError('FailedToParse', 'Cannot specify both upsert=true and remove=true');
  const variables = constants(documentAt(body, 'let'));
  const compiled = body.remove ? undefined : updater(body.update, filter, body.arrayFilters, variables);
  const fields = projector(documentAt(body, 'fields'), { filter, names: Object.keys(variables) });
  const project = (doc: Doc): Doc => (fields ? fields(doc, variables) : doc);
  const wanted: Wanted = { namespace, filter, body: { ...body }, limit: 1, deadline: deadlineOf(body) };
  const options = { removes: compiled === undefined };
  const changed = (collection: Collection, id: RecordId, before: Doc): Doc => {
    if (!compiled) {
      state.records.remove(collection, id, before);
      return { lastErrorObject: { n: 1 }, value: project(before) };
    }
    const { after } = change(state, collection, id, before, compiled);
    return { lastErrorObject: { n: 1, updatedExisting: true }, value: project(body.new ? after : before) };
  };
  const notFound = (): Doc => {
    if (!body.upsert || !compiled)
      return { lastErrorObject: { n: 0, ...(compiled && { updatedExisting: false }) }, value: null };
    const made = upsert(state, state.collection(namespace), filter, compiled);
    return {
      lastErrorObject: { n: 1, updatedExisting: false, upserted: made._id },
      value: body.new ? project(made) : null,
    };
  };
  const reply = await state.write(() => {
    const existing = state.catalogue.get(namespace);
    const found = existing ? targets(state, existing, wanted) : [];
    if (found === LATER) return LATER;
    const [first] = found;
    return first ? changed(existing!, first.id, first.doc ?? decode(first.bytes)) : notFound();
  }, options);
  if (reply !== LATER) return reply;
  const [done] = await changeInSlices(
    state,
    wanted,
    (collection, { id }, doc) => changed(collection, id, doc),
    options,
  );
  return done ?? state.write(notFound);
};
