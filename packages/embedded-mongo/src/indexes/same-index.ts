import type { Doc } from '../values/bson.js';
import type { Index } from '../storage/catalogue.js';
import { sameOrder } from '../server/server-state.js';
import { CommandError } from '../wire/errors.js';
import { compare } from '../values/order.js';

/**
 * The existing index that is identical to `spec`.
 * @throws CommandError 85 or 86 if a different one conflicts with it
 */
export function sameIndex(indexes: Index[], spec: Doc): Index | undefined {
  const sameKey = (index: Index): boolean =>
    sameOrder(index.spec.key, spec.key) && compare(index.spec.key, spec.key) === 0;
  const sameRest = (index: Index): boolean =>
    ['unique', 'sparse', 'expireAfterSeconds', 'partialFilterExpression'].every(
      (name) => compare(index.spec[name], spec[name]) === 0,
    );
  const ofId = indexes.find((index) => index.spec.name === '_id_');
  if (ofId && sameKey(ofId)) return ofId;
  const named = indexes.find((index) => index.spec.name === spec.name);
  if (named) {
    if (sameKey(named) && sameRest(named)) return named;
    throw new CommandError(
      'IndexKeySpecsConflict',
      `An existing index has the same name as the requested index. When index names are not specified, they are auto generated and can cause conflicts. Please refer to our documentation. Requested index: ${JSON.stringify(spec)}, existing index: ${JSON.stringify(named.spec)}`,
    );
  }
  const differing = ['unique', 'sparse', 'partialFilterExpression'];
  const keyed = indexes.find(
    (index) => sameKey(index) && differing.every((name) => compare(index.spec[name], spec[name]) === 0),
  );
  if (!keyed) return undefined;
  throw new CommandError('IndexOptionsConflict', `Index already exists with a different name: ${keyed.spec.name}`);
}
