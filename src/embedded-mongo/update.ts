import { Doc, Double, Long, ObjectId, encode, isDocument, isLong, isNumber, promote, toNumber } from './bson.js';
import { Timestamp } from 'bson';
import { CommandError } from './errors.js';
import { Test, elementTest, isOperators, matcher } from './match.js';
import { compare, equal, rank, rankOf } from './order.js';
import { isIndex } from './paths.js';
import { position } from './project.js';
import { Stage, runStages, stageOf } from './stages.js';

export interface Update {
  /** The document as it is to be, without a change to the one given. */
  apply(doc: Doc, inserting?: boolean): Doc;
  replacement: boolean;
}

interface Change {
  path: string;
  name: string;
  argument: any;
}

type Holder = Record<string, any>;
const bad = (message: string): CommandError => new CommandError('FailedToParse', message);

/**
 * Compiles an update: a replacement, operators or a pipeline.
 * @throws CommandError when it is malformed, at once; when it does not fit a document, on `apply`.
 */
export function updater(update: unknown, filter: Doc, arrayFilters: Doc[] = [], variables: Doc = {}): Update {
  if (Array.isArray(update)) {
    const stages = update.map(stageOf);
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
  const filters = new Map(arrayFilters.map(arrayFilter));
  const used = new Set(changes.flatMap(({ path }) => [...path.matchAll(/\$\[(\w+)\]/g)].map(([, id]) => id!)));
  for (const id of used)
    if (!filters.has(id)) throw new CommandError('BadValue', `No array filter found for identifier '${id}' in path`);
  for (const id of filters.keys())
    if (!used.has(id)) throw bad(`The array filter for identifier '${id}' was not used in the update`);
  const test = matcher(filter, variables);
  return {
    replacement: false,
    apply(doc, inserting = false) {
      const result = structured(doc);
      for (const change of changes) {
        if (change.name === '$setOnInsert' && !inserting) continue;
        for (const parts of resolve(change.path, doc, result, test, filters)) run(change, result, parts);
      }
      if (!inserting && doc._id !== undefined && !equal(doc._id, result._id)) throw immutable();
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
  const [result] = runStages([doc], stages, () => [], variables) as [Doc];
  if (result._id !== undefined && !equal(result._id, doc._id)) throw immutable();
  return { _id: doc._id, ...result };
}

/** Containers copied, values shared. */
function structured<T>(value: T): T {
  if (Array.isArray(value)) return value.map(structured) as T;
  if (!isDocument(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, structured(item)])) as T;
}

function parse(update: Doc): Change[] {
  const changes: Change[] = [];
  for (const [name, fields] of Object.entries(update)) {
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
      if (!path || path.split('.').includes(''))
        throw new CommandError(56, `The update path '${path}' contains an empty field name, which is not allowed.`);
      changes.push({ path, name, argument });
      if (name === '$rename') {
        if (typeof argument !== 'string')
          throw new CommandError('BadValue', `The 'to' field for $rename must be a string: ${path}`);
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

function comparePaths(a: string, b: string): number {
  const [left, right] = [a.split('.'), b.split('.')];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [x, y] = [left[i]!, right[i]!];
    if (x !== y) return isIndex(x) && isIndex(y) ? Number(x) - Number(y) : x < y ? -1 : 1;
  }
  return left.length - right.length;
}

function arrayFilter(filter: Doc): [string, Test] {
  const names = new Set(pathsOf(filter).map((path) => path.split('.')[0]!));
  const [id] = names;
  if (names.size !== 1 || !/^[a-z]\w*$/.test(id!))
    throw bad('an array filter has to use exactly one identifier, which begins with a lowercase letter');
  const test = matcher(filter);
  return [id!, (value) => test({ [id!]: value })];
}

const pathsOf = (filter: Doc): string[] =>
  Object.entries(filter).flatMap(([path, value]) =>
    path.startsWith('$') && Array.isArray(value) ? value.flatMap(pathsOf) : [path],
  );

/** The paths that a path with `$`, `$[]` or `$[name]` stands for in a document. */
function resolve(path: string, before: Doc, doc: Doc, test: Test, filters: Map<string, Test>): string[][] {
  if (!path.includes('$')) return [path.split('.')];
  let found: string[][] = [[]];
  for (const part of path.split('.')) {
    found = found.flatMap((parts) => {
      if (!part.startsWith('$')) return [[...parts, part]];
      const list = parts.reduce<any>((value, name) => value?.[name], doc);
      if (part === '$') {
        const index = position(parts.join('.'), test)(before);
        if (index === undefined)
          throw new CommandError('BadValue', 'The positional operator did not find the match needed from the query.');
        return [[...parts, String(index)]];
      }
      if (!Array.isArray(list))
        throw new CommandError(
          'BadValue',
          `The path '${parts.join('.')}' must exist in the document in order to apply array updates.`,
        );
      const name = part.slice(2, -1);
      return list.flatMap((item, i) => (name && !filters.get(name)!(item) ? [] : [[...parts, String(i)]]));
    });
  }
  return found;
}

/** The object or array that holds the last part; made on the way when `create` is set. */
function holder(doc: Doc, parts: string[], create: boolean): Holder | undefined {
  let at: any = doc;
  for (const [i, part] of parts.entries()) {
    if (Array.isArray(at) ? !isIndex(part) : !isDocument(at)) {
      if (!create) return undefined;
      const name = parts[i - 1] ?? '';
      throw new CommandError('PathNotViable', `Cannot create field '${part}' in element {${name}: ${show(at)}}`);
    }
    if (Array.isArray(at) && create && Number(part) > at.length + 1_500_000)
      throw new CommandError(158, `cannot backfill an array to ${part} elements`);
    if (i === parts.length - 1) return at;
    if (!Object.hasOwn(at, part)) {
      if (!create) return undefined;
      put(at, part, {});
    }
    at = at[part];
  }
  return undefined;
}

/** @throws CommandError 28 when a value on the way can have no fields; a path that merely ends early is no fault. */
function refuseUnviable(doc: Doc, parts: string[]): void {
  let at: unknown = doc;
  for (const part of parts) {
    if (at === undefined) return;
    if (!isDocument(at) && !Array.isArray(at)) {
      throw new CommandError(
        'PathNotViable',
        `cannot use the part (${part} of ${parts.join('.')}) to traverse the element`,
      );
    }
    at = (at as Holder)[part];
  }
}

/** A gap in an array is filled with null. `__proto__` is a field as any other. */
function put(at: Holder, part: string, value: unknown): void {
  if (Array.isArray(at)) while (at.length < Number(part)) at.push(null);
  Object.defineProperty(at, part, { value, writable: true, enumerable: true, configurable: true });
}

const show = (value: unknown): string => JSON.stringify(value);

function run({ name, argument, path }: Change, doc: Doc, parts: string[]): void {
  const last = parts.at(-1)!;
  if (name === '$unset') {
    const at = holder(doc, parts, false);
    if (Array.isArray(at)) {
      if (Number(last) < at.length) at[Number(last)] = null;
    } else if (at) delete at[last];
    return;
  }
  if (name === '$rename') {
    const at = holder(doc, parts, false);
    if (!at || !Object.hasOwn(at, last)) return refuseUnviable(doc, parts);
    if (Array.isArray(at)) throw new CommandError('BadValue', `The source field cannot be an array element, '${path}'`);
    const value = at[last];
    delete at[last];
    const target = argument.split('.');
    put(holder(doc, target, true)!, target.at(-1)!, value);
    return;
  }
  const absent = ['$pull', '$pullAll', '$pop'].includes(name);
  const at = holder(doc, parts, !absent);
  if (!at || (absent && !Object.hasOwn(at, last))) return;
  put(at, last, operators[name]!(Object.hasOwn(at, last) ? at[last] : undefined, argument, path));
}

/** Each takes the value there is (undefined: none) and the argument, and gives the value there is to be. */
const operators: Record<string, (value: any, argument: any, path: string) => unknown> = {
  $set: (_, argument) => structured(argument),
  $setOnInsert: (_, argument) => structured(argument),
  $unset: () => undefined,
  $inc: (value, argument, path) => arithmetic('$inc', value, argument, path),
  $mul: (value, argument, path) => arithmetic('$mul', value, argument, path),
  $min: (value, argument) => (value === undefined || compare(argument, value) < 0 ? argument : value),
  $max: (value, argument) => (value === undefined || compare(argument, value) > 0 ? argument : value),
  $currentDate: (_, argument) => {
    const type = argument === true ? 'date' : argument?.$type;
    if (type === 'date') return new Date();
    if (type === 'timestamp') return new Timestamp({ t: Math.floor(Date.now() / 1000), i: 1 });
    throw new CommandError('BadValue', "The '$type' string field is required to be 'date' or 'timestamp'");
  },
  $push(value, argument, path) {
    const list = arrayAt(value, path, '$push');
    if (!isDocument(argument) || !('$each' in argument)) return [...list, argument];
    const { $each, $position, $slice, $sort, ...unknown } = argument;
    const [other] = Object.keys(unknown);
    if (other) throw new CommandError('BadValue', `Unrecognized clause in $push: ${other}`);
    if (!Array.isArray($each)) throw new CommandError('BadValue', 'The argument to $each in $push must be an array');
    let result = [...list];
    result.splice($position === undefined ? result.length : toNumber($position), 0, ...$each);
    if ($sort !== undefined) result = sortList(result, $sort);
    if ($slice !== undefined) {
      const count = toNumber($slice);
      result = count < 0 ? result.slice(count) : result.slice(0, count);
    }
    return result;
  },
  $addToSet(value, argument, path) {
    const list = [...arrayAt(value, path, '$addToSet')];
    const each = isDocument(argument) && '$each' in argument ? argument.$each : [argument];
    if (!Array.isArray(each))
      throw new CommandError('TypeMismatch', 'The argument to $each in $addToSet must be an array');
    for (const item of each) if (!list.some((other) => equal(other, item))) list.push(item);
    return list;
  },
  $pull(value, argument, path) {
    const list = arrayAt(value, path, '$pull');
    const filter = rankOf(argument) === rank.regex ? { $regex: argument } : argument;
    const test: Test = isDocument(filter) ? elementTest(filter) : (item) => equal(item, filter);
    return list.filter((item) => !test(item));
  },
  $pullAll(value, argument, path) {
    if (!Array.isArray(argument)) throw new CommandError('BadValue', '$pullAll requires an array argument');
    return arrayAt(value, path, '$pullAll').filter((item) => !argument.some((other) => equal(other, item)));
  },
  $pop(value, argument, path) {
    const side = toNumber(argument);
    if (side !== 1 && side !== -1) throw bad(`$pop expects 1 or -1, found: ${show(argument)}`);
    const list = arrayAt(value, path, '$pop');
    return side === 1 ? list.slice(0, -1) : list.slice(1);
  },
  $bit(value, argument, path) {
    if (value !== undefined && !isInteger(value))
      throw new CommandError('BadValue', `Cannot apply $bit to a value of non-integral type at ${path}`);
    let result = isLong(value) ? value.toBigInt() : BigInt(toNumber(value ?? 0));
    let long = isLong(value);
    for (const [name, operand] of Object.entries<any>(argument)) {
      const bits = isLong(operand) ? operand.toBigInt() : BigInt(toNumber(operand));
      long ||= isLong(operand);
      if (name === 'and') result &= bits;
      else if (name === 'or') result |= bits;
      else if (name === 'xor') result ^= bits;
      else throw new CommandError('BadValue', `The $bit modifier only supports 'and', 'or', and 'xor', not '${name}'`);
    }
    return long ? Long.fromBigInt(result) : Number(result);
  },
};

function arrayAt(value: unknown, path: string, name: string): unknown[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  if (name === '$pop') throw new CommandError('TypeMismatch', `Path '${path}' contains an element of non-array type`);
  if (name === '$push') throw new CommandError('BadValue', `The field '${path}' must be an array`);
  throw new CommandError(
    'BadValue',
    `Cannot apply ${name} to a non-array field. Field named '${path}' has a non-array type`,
  );
}

function sortList(list: unknown[], sort: any): unknown[] {
  if (!isDocument(sort)) return list.sort((a, b) => compare(a, b) * toNumber(sort));
  const fields = Object.entries(sort).map(([path, order]) => ({ parts: path.split('.'), order: toNumber(order) }));
  const at = (item: any, parts: string[]): unknown => parts.reduce((value, part) => value?.[part], item);
  return list.sort((a, b) => {
    for (const { parts, order } of fields) {
      const here = compare(at(a, parts), at(b, parts)) * order;
      if (here) return here;
    }
    return 0;
  });
}

const isInteger = (value: unknown): boolean => isLong(value) || (typeof value === 'number' && (value | 0) === value);

/** The result is of the wider of the two types, and a 64-bit integer where 32 bits do not do. */
function arithmetic(name: string, value: unknown, argument: unknown, path: string): unknown {
  const verb = name === '$inc' ? 'increment' : 'multiply';
  if (!isNumber(argument))
    throw new CommandError('TypeMismatch', `Cannot ${verb} with non-numeric argument: {${path}: ${show(argument)}}`);
  if (value !== undefined && !isNumber(value)) {
    throw new CommandError(
      'TypeMismatch',
      `Cannot apply ${name} to a value of non-numeric type. {_id: …} has the field '${path.split('.').at(-1)}' of non-numeric type ${typeof value}`,
    );
  }
  if (value === undefined && name === '$inc') return argument;
  const both = [value ?? 0, argument];
  if (both.every(isInteger)) {
    const [a, b] = both.map((one) => (isLong(one) ? one.toBigInt() : BigInt(one as number))) as [bigint, bigint];
    const result = name === '$inc' ? a + b : a * b;
    if (BigInt.asIntN(64, result) !== result)
      throw new CommandError('BadValue', `Failed to apply ${name} operations to current value`);
    return both.some(isLong) || BigInt.asIntN(32, result) !== result ? Long.fromBigInt(result) : Number(result);
  }
  const [a, b] = both.map(toNumber) as [number, number];
  const result = name === '$inc' ? a + b : a * b;
  return (result | 0) === result ? new Double(result) : result;
}

/** The document that an upsert starts from: what the filter says its fields equal. */
export function seed(filter: Doc): Doc {
  const doc: Doc = {};
  const add = (part: Doc): void => {
    for (const [path, value] of Object.entries(part)) {
      if (path === '$and' && Array.isArray(value)) value.forEach(add);
      else if (path === '$or' && Array.isArray(value) && value.length === 1) add(value[0]);
      else if (!path.startsWith('$')) {
        const fixed = isOperators(value) ? fixedValue(value) : rankOf(value) === rank.regex ? undefined : value;
        if (fixed === undefined) continue;
        const parts = path.split('.');
        put(holder(doc, parts, true)!, parts.at(-1)!, fixed);
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

/** With an `_id`, and that first. */
export function withId(doc: Doc): Doc {
  const { _id = new ObjectId(), ...rest } = doc;
  return { _id, ...rest };
}
