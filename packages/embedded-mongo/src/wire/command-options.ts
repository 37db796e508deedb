import { countAt } from '../server/server-state.js';
import { Doc, isDocument, isNumber, toNumber } from '../values/bson.js';
import { CommandError } from './errors.js';
import { GENERIC, unsupported } from './options.js';

/** The options of commands on documents that have their effect, or would have none here. */
const KNOWN: Record<string, string> = {
  find: 'filter projection sort skip limit batchSize singleBatch hint let allowDiskUse noCursorTimeout allowPartialResults',
  getMore: 'collection batchSize',
  count: 'query skip limit hint fields',
  distinct: 'key query hint',
  aggregate: 'pipeline cursor hint let allowDiskUse bypassDocumentValidation explain',
  insert: 'documents ordered bypassDocumentValidation',
  update: 'updates ordered let bypassDocumentValidation',
  delete: 'deletes ordered let',
  findAndModify: 'query sort update remove new fields upsert arrayFilters hint let bypassDocumentValidation',
};
/** MongoDB's other options of `find`, which would change the result. */
const REFUSED = ['min', 'max', 'returnKey', 'showRecordId', 'tailable', 'awaitData', 'oplogReplay'];

/**
 * Runs before every command: nothing that a client asks for is ignored, unless it would have no effect here anyway.
 * @throws CommandError for an option that is unknown or not supported
 */
export function checkCommand(name: string, body: Doc): void {
  if (body.txnNumber !== undefined)
    throw unsupported(
      'Transaction numbers are only allowed on a replica set member or mongos. Retryable writes are',
      'IllegalOperation',
    );
  refuseCollation(body);
  for (const statement of [body.updates, body.deletes].flat()) refuseCollation(statement);
  checkReadConcern(body.readConcern);
  checkWriteConcern(body.writeConcern);
  if (countAt(body, 'maxTimeMS') && name === 'getMore')
    throw new CommandError('BadValue', 'cannot set maxTimeMS on getMore command for a non-awaitData cursor');
  if (name === 'explain' && isDocument(body.explain)) checkCommand(Object.keys(body.explain)[0] ?? '', body.explain);
  const known = KNOWN[name === 'findandmodify' ? 'findAndModify' : name]?.split(' ');
  for (const field of known ? Object.keys(body).slice(1) : []) {
    if (known!.includes(field) || field === 'collation' || GENERIC.has(field)) continue;
    if (name !== 'find' || !REFUSED.includes(field))
      throw new CommandError('UnknownField', `BSON field '${name}.${field}' is an unknown field.`);
    if (body[field]) throw unsupported(`The option '${field}' of find is`);
  }
}

/** Answering in a different order than requested would be worse than an error. */
function refuseCollation(body: unknown): void {
  const collation = isDocument(body) ? body.collation : undefined;
  if (collation && collation.locale !== 'simple') throw unsupported('Collations are');
}

/** What each command reads is on the disk and will stay; but a cursor's batches are not of one moment. */
const LEVELS = ['local', 'available', 'majority'];

function checkReadConcern(given: unknown): void {
  if (given === undefined) return;
  if (!isDocument(given)) throw new CommandError('TypeMismatch', "BSON field 'readConcern' is no object");
  const { level = 'local', ...rest } = given;
  // The errors of a MongoDB server that is not part of a replica set.
  if (level === 'snapshot' || level === 'linearizable')
    throw unsupported(
      `node needs to be a replica set member to use read concern. The read concern '${level}' is`,
      'NotAReplicaSet',
    );
  if (!LEVELS.includes(level))
    throw new CommandError('BadValue', `'${String(level)}' for field 'readConcern.level' is not a valid value.`);
  const [other] = Object.keys(rest);
  if (other === undefined) return;
  if (!/^(after|at)(ClusterTime|OpTime)$/.test(other))
    throw new CommandError('UnknownField', `BSON field 'readConcern.${other}' is an unknown field.`);
  throw unsupported(`Cannot specify ${other} readConcern without replication enabled. It is`, 'IllegalOperation');
}

/** Every acknowledged write is on the disk of the one server that there is. */
function checkWriteConcern(given: unknown): void {
  if (given === undefined) return;
  if (!isDocument(given)) throw new CommandError('TypeMismatch', "BSON field 'writeConcern' is no object");
  const { w = 1, ...rest } = given;
  const other = Object.keys(rest).find((name) => !['j', 'fsync', 'wtimeout', 'provenance'].includes(name));
  if (other) throw new CommandError('UnknownField', `BSON field 'writeConcern.${other}' is an unknown field.`);
  if (isNumber(w)) {
    const nodes = toNumber(w);
    if (!(nodes >= 0 && nodes <= 50))
      throw new CommandError('FailedToParse', 'w has to be a non-negative number and not greater than 50');
    if (nodes > 1) throw unsupported("cannot use 'w' > 1 when a host is not replicated. It is", 'BadValue');
  } else if (w !== 'majority')
    throw unsupported(
      "cannot use non-majority 'w' mode when a host is not a member of a replica set. It is",
      'BadValue',
    );
}
