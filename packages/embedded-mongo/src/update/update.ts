import { Doc, ObjectId, isDocument } from '../values/bson.js';
import { CommandError } from '../wire/errors.js';
import { unsupported } from '../wire/options.js';
import { parentOf, put, refuseUnviable } from './fields.js';
import { matcher } from '../query/match.js';
import { operators, copyContainers } from './modify.js';
import { equal, rank, rankOf } from '../values/order.js';
import { isOperators } from '../query/predicates.js';
import { Stage, runStages, stagesOf } from '../pipeline/stages.js';
import { arrayFilter, checkPath, comparePaths, resolvePath } from './update-paths.js';

export interface Update {
  /** The updated document. Does not modify its argument. */
  apply(doc: Doc, inserting?: boolean): Doc;
  replacement: boolean;
}

interface Change {
  path: string;
  name: string;
  argument: any;
}

const bad = (message: string): CommandError => new CommandError('FailedToParse', message);

/**
 * Compiles an update: a replacement, operators or a pipeline.
 * @throws CommandError immediately if it is malformed; on `apply` if it does not fit a document.
 */
export function updater(update: unknown, filter: Doc, arrayFilters: unknown = [], variables: Doc = {}): Update {
  if (Array.isArray(update)) {
    const stages = stagesOf(update, Object.keys(variables));
    const other = stages.find(({ name }) => !STAGES.includes(name));
    if (other) throw new CommandError('InvalidOptions', `${other.name} is not allowed to be used within an update`);
    return { apply: (doc) => runPipeline(doc, stages, variables), replacement: false };
  }
  if (!isDocument(update)) throw bad('the update has to be a document or a pipeline');
  const names = Object.keys(update);
  if (!names[0]?.startsWith('$')) {
    const field = names.find((name) => name.startsWith('$'));
    if (field)
      throw new CommandError(
        'DollarPrefixedFieldName',
        `The dollar ($) prefixed field '${field}' in '${field}' is not allowed in the context of an update's replacement document.`,
      );
    return { apply: (doc) => replace(doc, update), replacement: true };
  }
  const changes = parse(update);
  if (!Array.isArray(arrayFilters) || !arrayFilters.every(isDocument))
    throw new CommandError('TypeMismatch', "'arrayFilters' has to be an array of objects");
  const filters = new Map(arrayFilters.map(arrayFilter));
  if (filters.size < arrayFilters.length) throw bad('Found multiple array filters with the same top-level field name');
  const used = new Set(changes.flatMap(({ path }) => [...path.matchAll(/\$\[(\w+)\]/g)].map(([, id]) => id!)));
  for (const id of used)
    if (!filters.has(id)) throw new CommandError('BadValue', `No array filter found for identifier '${id}' in path`);
  for (const id of filters.keys())
    if (!used.has(id)) throw bad(`The array filter for identifier '${id}' was not used in the update`);
  const test = matcher(filter, variables);
  return {
    replacement: false,
    apply(doc, inserting = false) {
      const result = copyContainers(doc);
      for (const change of changes) {
        if (change.name === '$setOnInsert' && !inserting) continue;
        for (const parts of resolvePath(change.path, doc, result, test, filters)) run(change, result, parts);
      }
      if (doc._id !== undefined && !equal(doc._id, result._id)) throw immutable();
      return result;
    },
  };
}

const immutable = (): CommandError =>
  new CommandError('ImmutableField', "Performing an update on the path '_id' would modify the immutable field '_id'");

function replace(doc: Doc, replacement: Doc): Doc {
  const { _id, ...rest } = replacement;
  if (_id !== undefined && doc._id !== undefined && !equal(_id, doc._id)) {
    throw new CommandError(
      'ImmutableField',
      `After applying the update, the (immutable) field '_id' was found to have been altered to _id: ${JSON.stringify(_id)}`,
    );
  }
  const id = doc._id ?? _id;
  return id === undefined ? rest : { _id: id, ...rest };
}

const STAGES = ['$addFields', '$set', '$project', '$unset', '$replaceRoot', '$replaceWith'];

function runPipeline(doc: Doc, stages: Stage[], variables: Doc): Doc {
  const [result] = runStages(doc, stages, variables) as [Doc];
  if (result._id !== undefined && !equal(result._id, doc._id)) throw immutable();
  return { _id: doc._id, ...result };
}

function parse(update: Doc): Change[] {
  const changes: Change[] = [];
  for (const [name, fields] of Object.entries(update)) {
    if (name === '$bit') throw unsupported('The update operator $bit is', 'FailedToParse');
    if (!(name in operators) && name !== '$rename') {
      throw bad(
        `Unknown modifier: ${name}. Expected a valid update modifier or pipeline-style update specified as an array`,
      );
    }
    if (!isDocument(fields))
      throw bad(
        `Modifiers operate on fields but we found type ${typeof fields} instead. For example: {$mod: {<field>: ...}} not {${name}: ${JSON.stringify(fields)}}`,
      );
    for (const [path, argument] of Object.entries(fields)) {
      checkPath(path);
      changes.push({ path, name, argument });
      if (name === '$rename') {
        if (typeof argument !== 'string')
          throw new CommandError('BadValue', `The 'to' field for $rename must be a string: ${path}`);
        checkPath(argument);
        if (path.includes('$') || argument.includes('$'))
          throw new CommandError('BadValue', `The fields of $rename may not be dynamic: ${path}: ${argument}`);
        changes.push({ path: argument, name: '$rename to', argument: path });
      }
    }
  }
  // MongoDB changes fields in the order of their names, whatever the order of the operators.
  changes.sort((a, b) => comparePaths(a.path, b.path));
  for (let i = 1; i < changes.length; i++) {
    const [one, other] = [changes[i - 1]!.path, changes[i]!.path];
    if (one === other || other.startsWith(`${one}.`))
      throw new CommandError(
        'ConflictingUpdateOperators',
        `Updating the path '${other}' would create a conflict at '${one}'`,
      );
  }
  return changes.filter(({ name }) => name !== '$rename to');
}

function run({ name, argument, path }: Change, doc: Doc, parts: string[]): void {
  const last = parts.at(-1)!;
  if (name === '$unset') {
    const at = parentOf(doc, parts, false);
    if (Array.isArray(at)) {
      if (Number(last) < at.length) at[Number(last)] = null;
    } else if (at) delete at[last];
    return;
  }
  if (name === '$rename') {
    const at = parentOf(doc, parts, false);
    if (!at || !Object.hasOwn(at, last)) return refuseUnviable(doc, parts);
    if (Array.isArray(at)) throw new CommandError('BadValue', `The source field cannot be an array element, '${path}'`);
    const value = at[last];
    delete at[last];
    const target = argument.split('.');
    const to = parentOf(doc, target, true)!;
    if (Array.isArray(to))
      throw new CommandError('BadValue', `The destination field cannot be an array element, '${argument}'`);
    put(to, target.at(-1)!, value);
    return;
  }
  const absent = ['$pull', '$pullAll', '$pop'].includes(name);
  const at = parentOf(doc, parts, !absent);
  if (!at || (absent && !Object.hasOwn(at, last))) return;
  put(at, last, operators[name]!(Object.hasOwn(at, last) ? at[last] : undefined, argument, path));
}

/** The document that an upsert starts from: the equalities of the filter. */
export function upsertSeed(filter: Doc): Doc {
  const doc: Doc = {};
  const add = (part: Doc): void => {
    for (const [path, value] of Object.entries(part)) {
      if (path === '$and' && Array.isArray(value)) value.forEach(add);
      else if (path === '$or' && Array.isArray(value) && value.length === 1) add(value[0]);
      else if (!path.startsWith('$')) {
        const fixed = isOperators(value) ? fixedValue(value) : rankOf(value) === rank.regex ? undefined : value;
        if (fixed === undefined) continue;
        const parts = path.split('.');
        put(parentOf(doc, parts, true)!, parts.at(-1)!, fixed);
      }
    }
  };
  add(filter);
  return doc;
}

function fixedValue(operators: Doc): unknown {
  if ('$eq' in operators) return operators.$eq;
  for (const name of ['$in', '$all'])
    if (operators[name]?.length === 1 && !isOperators(operators[name][0])) return operators[name][0];
  return undefined;
}

/** With an `_id` as the first field. */
export function withId(doc: Doc): Doc {
  const { _id = new ObjectId(), ...rest } = doc;
  return { _id, ...rest };
}
