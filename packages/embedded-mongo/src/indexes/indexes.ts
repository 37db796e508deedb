import { Doc, encode, isDocument, isNumber, joinArray, toNumber } from '../values/bson.js';
import type { Collection, Index } from '../storage/catalogue.js';
import { Command, NO_CURSOR, deadlineOf, documentAt, namespaceOf, sameOrder } from '../server/server-state.js';
import { CommandError } from '../wire/errors.js';
import { buildIndexes } from './index-build.js';
import { matcher } from '../query/match.js';
import { checkCreateIndexes, checkIndexOptions, checkKind } from '../wire/options.js';
import { compare } from '../values/order.js';
import { cursorReply } from '../wire/wire.js';

export const listIndexes: Command = (state, body) => {
  const namespace = namespaceOf(body);
  const collection = state.catalogue.get(namespace);
  if (!collection) throw new CommandError('NamespaceNotFound', `ns does not exist: ${namespace}`);
  return cursorReply('firstBatch', joinArray(collection.indexes.map(({ spec }) => encode(spec))), NO_CURSOR, namespace);
};

export const createIndexes: Command = (state, body) => {
  const namespace = namespaceOf(body);
  if (!Array.isArray(body.indexes) || !body.indexes.length)
    throw new CommandError('BadValue', 'Must specify at least one index to create');
  checkCreateIndexes(body);
  const specs = body.indexes.map((spec) => indexSpec(spec, body.ignoreUnknownIndexOptions === true));
  return buildIndexes(state, namespace, specs, deadlineOf(body));
};

function indexSpec(given: unknown, lenient: boolean): Doc {
  if (!isDocument(given) || !isDocument(given.key))
    throw new CommandError('FailedToParse', "The 'key' field is a required property of an index specification");
  checkIndexOptions(given, lenient);
  if (typeof given.name !== 'string' || !given.name)
    throw new CommandError('FailedToParse', "The 'name' field is a required property of an index specification");
  if (!Object.keys(given.key).length)
    throw new CommandError('CannotCreateIndex', 'Index keys cannot be an empty object');
  for (const [path, direction] of Object.entries(given.key)) {
    checkKind(path, direction);
    if (!isNumber(direction) || !toNumber(direction))
      throw new CommandError('CannotCreateIndex', `Values in the index key pattern cannot be 0: '${path}'`);
    if (!path || path.split('.').some((part) => !part || part.startsWith('$')))
      throw new CommandError('CannotCreateIndex', 'Index keys cannot contain an empty or a $-prefixed field');
  }
  const { key, name, unique, sparse, partialFilterExpression, expireAfterSeconds } = given;
  if (partialFilterExpression !== undefined) matcher(documentAt(given, 'partialFilterExpression'));
  if (partialFilterExpression && sparse)
    throw new CommandError('CannotCreateIndex', 'cannot mix "partialFilterExpression" and "sparse" options');
  if (expireAfterSeconds !== undefined) {
    if (!isNumber(expireAfterSeconds) || toNumber(expireAfterSeconds) < 0)
      throw new CommandError('CannotCreateIndex', "TTL index 'expireAfterSeconds' option must be a number from 0 up");
    if (Object.keys(key).length > 1)
      throw new CommandError(
        'CannotCreateIndex',
        'TTL indexes are single-field indexes, compound indexes do not support TTL',
      );
  }
  return {
    v: 2,
    key,
    name,
    ...(unique && { unique: true }),
    ...(sparse && { sparse: true }),
    ...(partialFilterExpression && { partialFilterExpression }),
    ...(expireAfterSeconds !== undefined && { expireAfterSeconds }),
  };
}

export const dropIndexes: Command = (state, body) => {
  const namespace = namespaceOf(body);
  return state.write(
    () => {
      const collection = state.catalogue.get(namespace);
      if (!collection) throw new CommandError('NamespaceNotFound', `ns not found ${namespace}`);
      const before = collection.indexes.length;
      const all = [...collection.indexes, ...collection.building];
      const gone =
        body.index === '*' ? all.slice(1) : [body.index].flat().map((wanted) => indexNamed(collection, wanted));
      for (const { id } of gone) state.clear('keys', id);
      const [indexes, building] = [collection.indexes, collection.building];
      collection.indexes = indexes.filter((index) => !gone.includes(index));
      collection.building = building.filter((index) => !gone.includes(index));
      state.catalogue.save(collection);
      return { nIndexesWas: before, ...(body.index === '*' && { msg: 'non-_id indexes dropped for collection' }) };
    },
    { removes: true },
  );
};

/** @throws CommandError 27 if it does not exist, 72 for the `_id` index */
export function indexNamed(collection: Collection, wanted: unknown): Index {
  const found = [...collection.indexes, ...collection.building].find(({ spec }) =>
    typeof wanted === 'string'
      ? spec.name === wanted
      : isDocument(wanted) && sameOrder(spec.key, wanted) && compare(spec.key, wanted) === 0,
  );
  if (!found) {
    const what = typeof wanted === 'string' ? `with name [${wanted}]` : `with key: ${JSON.stringify(wanted)}`;
    throw new CommandError(
      'IndexNotFound',
      typeof wanted === 'string' ? `index not found ${what}` : `can't find index ${what}`,
    );
  }
  if (found === collection.indexes[0]) throw new CommandError('InvalidOptions', 'cannot drop _id index');
  return found;
}
