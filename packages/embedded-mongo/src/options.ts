import { Doc, isDocument, isNumber, toNumber } from './bson.js';
import { CommandError } from './errors.js';

/** Says of something that MongoDB has and this server has not that it is not there: ignoring it would be a wrong answer. */
export function unsupported(what: string, name: ConstructorParameters<typeof CommandError>[0] = 'InvalidOptions') {
  return new CommandError(name, `${what} not supported by embedded-mongo`);
}

/** Fields that any command may have. */
const GENERIC = new Set([
  '$db',
  '$readPreference',
  '$clusterTime',
  'lsid',
  'txnNumber',
  'readConcern',
  'writeConcern',
  'maxTimeMS',
  'comment',
  'apiVersion',
  'apiStrict',
  'apiDeprecationErrors',
]);

/** A test of an option's value: whether it asks for nothing that this server would not do anyway. */
type Harmless = (value: any) => boolean;
const absent: Harmless = (value) => value === undefined || value === null || value === false;
const empty: Harmless = (value) => absent(value) || (isDocument(value) && !Object.keys(value).length);
const anything: Harmless = () => true;
const only =
  (wanted: unknown): Harmless =>
  (value) =>
    absent(value) || value === wanted;

/** @throws CommandError for a field that the command does not have, or that asks for what this server cannot do */
function checkOptions(body: Doc, options: Record<string, Harmless>): void {
  const [command, ...fields] = Object.keys(body);
  for (const field of fields) {
    if (GENERIC.has(field)) continue;
    const harmless = Object.hasOwn(options, field) ? options[field]! : undefined;
    if (!harmless) throw new CommandError('UnknownField', `BSON field '${command}.${field}' is an unknown field.`);
    if (!harmless(body[field])) throw unsupported(`The option '${field}' of ${command} is`);
  }
}

const CREATE: Record<string, Harmless> = {
  capped: absent,
  size: absent,
  max: absent,
  viewOn: absent,
  pipeline: absent,
  timeseries: absent,
  expireAfterSeconds: absent,
  clusteredIndex: absent,
  changeStreamPreAndPostImages: (value) => absent(value) || value.enabled === false,
  recordPreImages: absent,
  storageEngine: empty,
  indexOptionDefaults: empty,
  validator: empty,
  validationLevel: only('strict'),
  validationAction: only('error'),
  encryptedFields: absent,
  temp: absent,
  // Only the simple one gets here.
  collation: anything,
  autoIndexId: (value) => value !== false,
  // The one of _id that every collection has: tools that restore a dump send it.
  idIndex: (value) => isDocument(value) && isDocument(value.key) && Object.keys(value.key).join() === '_id',
  flags: anything,
};

/** @throws CommandError for an option of `create` that would be accepted and forgotten */
export const checkCreate = (body: Doc): void => checkOptions(body, CREATE);

const CREATE_INDEXES: Record<string, Harmless> = {
  indexes: anything,
  ignoreUnknownIndexOptions: anything,
  commitQuorum: absent,
};

/** @throws CommandError for an option of `createIndexes` that would be accepted and forgotten */
export const checkCreateIndexes = (body: Doc): void => checkOptions(body, CREATE_INDEXES);

const COLL_MOD: Record<string, Harmless> = {
  ...CREATE,
  index: (value) => isDocument(value) && !Object.keys(value).some((key) => !CHANGES.includes(key)),
};
const CHANGES = ['name', 'keyPattern', 'expireAfterSeconds'];

/** @throws CommandError for a change that would be accepted and forgotten */
export const checkCollMod = (body: Doc): void => checkOptions(body, COLL_MOD);

const INDEX: Record<string, Harmless> = {
  key: anything,
  name: anything,
  unique: anything,
  sparse: anything,
  partialFilterExpression: anything,
  expireAfterSeconds: anything,
  // An index is built in one go, before or behind every other command.
  background: anything,
  ns: anything,
  v: (value) => isNumber(value) && toNumber(value) === 2,
  hidden: absent,
  prepareUnique: absent,
  clustered: absent,
  dropDups: absent,
  storageEngine: empty,
  collation: (value) => absent(value) || value.locale === 'simple',
};
/** Options of kinds of index that there are not. */
const FOREIGN = [
  'weights',
  'default_language',
  'language_override',
  'textIndexVersion',
  '2dsphereIndexVersion',
  'bits',
  'min',
  'max',
  'bucketSize',
  'wildcardProjection',
];

/**
 * @param lenient options that MongoDB does not know are left out, as `ignoreUnknownIndexOptions` asks for
 * @throws CommandError for an option of an index that would be accepted and forgotten
 */
export function checkIndexOptions(given: Doc, lenient: boolean): void {
  for (const [name, value] of Object.entries(given)) {
    if (FOREIGN.includes(name)) throw unsupported(`The index option '${name}' is`, 'CannotCreateIndex');
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

/** @throws CommandError for a kind of index that there is not */
export function checkKind(path: string, kind: unknown): void {
  if (path === '$**' || path.endsWith('.$**')) throw unsupported('Wildcard indexes are', 'CannotCreateIndex');
  if (typeof kind === 'string') throw unsupported(`Indexes of the kind '${kind}' are`, 'CannotCreateIndex');
}
