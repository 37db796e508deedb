import { Doc, isDocument, isNumber, toNumber } from '../values/bson.js';
import { CommandError } from './errors.js';

/** The error for a MongoDB feature that is not supported. Ignoring the feature would give a wrong answer. */
export function unsupported(what: string, name: ConstructorParameters<typeof CommandError>[0] = 'InvalidOptions') {
  return new CommandError(name, `${what} not supported by embedded-mongo`);
}

/** Fields that any command may have. */
export const GENERIC = new Set(
  (
    '$db $readPreference $clusterTime lsid txnNumber readConcern writeConcern maxTimeMS comment ' +
    'apiVersion apiStrict apiDeprecationErrors'
  ).split(' '),
);

/** Tests an option's value: whether it requests nothing beyond what this server does anyway. */
type Harmless = (value: any) => boolean;
const absent: Harmless = (value) => value === undefined || value === null || value === false;
const empty: Harmless = (value) => absent(value) || (isDocument(value) && !Object.keys(value).length);
const anything: Harmless = () => true;
const only =
  (wanted: unknown): Harmless =>
  (value) =>
    absent(value) || value === wanted;

/** @throws CommandError for a field that the command does not have, or a value that this server does not support */
function checkOptions(body: Doc, options: Record<string, Harmless>): void {
  const [command, ...fields] = Object.keys(body);
  for (const field of fields) {
    if (GENERIC.has(field)) continue;
    const harmless = Object.hasOwn(options, field) ? options[field]! : undefined;
    if (!harmless) throw new CommandError('UnknownField', `BSON field '${command}.${field}' is an unknown field.`);
    if (!harmless(body[field])) throw unsupported(`The option '${field}' of ${command} is`);
  }
}

const each = (names: string, harmless: Harmless): Record<string, Harmless> =>
  Object.fromEntries(names.split(' ').map((name) => [name, harmless]));

const CREATE: Record<string, Harmless> = {
  ...each('capped size max viewOn pipeline timeseries expireAfterSeconds clusteredIndex', absent),
  ...each('recordPreImages encryptedFields temp', absent),
  changeStreamPreAndPostImages: (value) => absent(value) || value.enabled === false,
  storageEngine: empty,
  indexOptionDefaults: empty,
  validator: empty,
  validationLevel: only('strict'),
  validationAction: only('error'),
  // Any other than the simple one was rejected before.
  collation: anything,
  autoIndexId: (value) => value !== false,
  // The `_id` index, which every collection has: tools that restore a dump send it.
  idIndex: (value) => isDocument(value) && isDocument(value.key) && Object.keys(value.key).join() === '_id',
  flags: anything,
};

/** @throws CommandError for an option of `create` that would otherwise be ignored */
export const checkCreate = (body: Doc): void => checkOptions(body, CREATE);

const CREATE_INDEXES: Record<string, Harmless> = {
  indexes: anything,
  ignoreUnknownIndexOptions: anything,
  commitQuorum: absent,
};

/** @throws CommandError for an option of `createIndexes` that would otherwise be ignored */
export const checkCreateIndexes = (body: Doc): void => checkOptions(body, CREATE_INDEXES);

const COLL_MOD: Record<string, Harmless> = {
  ...CREATE,
  index: (value) => isDocument(value) && !Object.keys(value).some((key) => !CHANGES.includes(key)),
};
const CHANGES = ['name', 'keyPattern', 'expireAfterSeconds'];

/** @throws CommandError for a change that would otherwise be ignored */
export const checkCollMod = (body: Doc): void => checkOptions(body, COLL_MOD);

const INDEX: Record<string, Harmless> = {
  ...each('key name unique sparse partialFilterExpression expireAfterSeconds', anything),
  // Foreground or background: this server builds all indexes the same way.
  ...each('background ns', anything),
  v: (value) => isNumber(value) && toNumber(value) === 2,
  ...each('hidden prepareUnique clustered dropDups', absent),
  storageEngine: empty,
  collation: (value) => absent(value) || value.locale === 'simple',
};
/** Options of index types that are not supported. */
const UNSUPPORTED = (
  'weights default_language language_override textIndexVersion 2dsphereIndexVersion bits min max ' +
  'bucketSize wildcardProjection'
).split(' ');

/**
 * @param lenient drop options that MongoDB does not know, as `ignoreUnknownIndexOptions` requests
 * @throws CommandError for an index option that would otherwise be ignored
 */
export function checkIndexOptions(given: Doc, lenient: boolean): void {
  for (const [name, value] of Object.entries(given)) {
    if (UNSUPPORTED.includes(name)) throw unsupported(`The index option '${name}' is`, 'CannotCreateIndex');
    const harmless = Object.hasOwn(INDEX, name) ? INDEX[name]! : undefined;
    if (!harmless) {
      if (lenient) continue;
      throw new CommandError(
        'InvalidIndexSpecificationOption',
        `The field '${name}' is not valid for an index specification. Specification: ${JSON.stringify(given)}`,
      );
    }
    if (!harmless(value)) throw unsupported(`The index option '${name}' is`, 'CannotCreateIndex');
  }
}

/** @throws CommandError for an unsupported index type */
export function checkKind(path: string, kind: unknown): void {
  if (path === '$**' || path.endsWith('.$**')) throw unsupported('Wildcard indexes are', 'CannotCreateIndex');
  if (typeof kind === 'string') throw unsupported(`Indexes of the kind '${kind}' are`, 'CannotCreateIndex');
}
