import { erase } from './admin.js';
import { Doc, isDocument, isNumber, toNumber } from '../values/bson.js';
import { Command, namespaceOf } from '../server/server-state.js';
import { CommandError } from '../wire/errors.js';
import { indexNamed } from '../indexes/indexes.js';
import { checkCollMod } from '../wire/options.js';

/** The namespace in a value such as `db.collection`. @throws CommandError 73 */
function namespaceIn(body: Doc, field: string): string {
  const [$db, ...name] = String(body[field]).split('.');
  return namespaceOf({ [field]: name.join('.'), $db });
}

export const renameCollection: Command = (state, body) => {
  const from = namespaceIn(body, 'renameCollection');
  const to = namespaceIn(body, 'to');
  if (from === to) throw new CommandError('IllegalOperation', "Can't rename a collection to itself");
  return state.write(() => {
    const source = state.catalogue.get(from);
    const target = state.catalogue.get(to);
    if (!source) throw new CommandError('NamespaceNotFound', `Source collection ${from} does not exist`);
    if (target && !body.dropTarget) throw new CommandError('NamespaceExists', 'target namespace exists');
    if (target) erase(state, target);
    state.catalogue.rename(source, to);
    state.cursors.killAll(from);
    return {};
  });
};

export const collMod: Command = (state, body) => {
  const namespace = namespaceOf(body);
  checkCollMod(body);
  const { index: change } = body;
  const after = change && seconds(change);
  return state.write(() => {
    const collection = state.catalogue.get(namespace);
    if (!collection) throw new CommandError('NamespaceNotFound', `ns does not exist: ${namespace}`);
    if (!change) return {};
    const index = indexNamed(collection, change.name ?? change.keyPattern);
    const before = index.spec.expireAfterSeconds;
    if (after === undefined) return {};
    if (index.fields.length > 1)
      throw new CommandError(
        'InvalidOptions',
        'TTL indexes are single-field indexes, compound indexes do not support TTL',
      );
    index.spec = { ...index.spec, expireAfterSeconds: after };
    state.catalogue.save(collection);
    return { ...(before !== undefined && { expireAfterSeconds_old: before }), expireAfterSeconds_new: after };
  });
};

function seconds(change: unknown): number | undefined {
  if (!isDocument(change)) throw new CommandError('TypeMismatch', "BSON field 'collMod.index' is no object");
  if ((change.name === undefined) === (change.keyPattern === undefined))
    throw new CommandError('InvalidOptions', 'Must specify either the name or the keyPattern of an index');
  const { expireAfterSeconds } = change;
  if (expireAfterSeconds === undefined) return undefined;
  if (!isNumber(expireAfterSeconds) || !(toNumber(expireAfterSeconds) >= 0))
    throw new CommandError('InvalidOptions', "'expireAfterSeconds' must be a number from 0 up");
  return expireAfterSeconds as number;
}
