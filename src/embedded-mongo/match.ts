import { Query } from 'mingo';
import {
  BSONRegExp,
  Binary,
  Doc,
  Long,
  Double,
  Decimal128,
  isDocument,
  isLong,
  isNumber,
  promote,
  toNumber,
} from './bson.js';
import { CommandError } from './errors.js';
import { compare, equal, rank, rankOf } from './order.js';
import { some } from './paths.js';

export type Test = (value: any) => boolean;

const bad = (message: string): CommandError => new CommandError('BadValue', message);

/**
 * Compiles a filter; `variables` are the command's `let`, for `$expr`.
 * @throws CommandError for an operator that does not exist or has a wrong argument.
 */
export function matcher(filter: Doc, variables: Doc = {}): Test {
  return every(
    Object.entries(filter).map(([key, value]) =>
      key.startsWith('$') ? logical(key, value, variables) : field(key, value),
    ),
  );
}

const every = (tests: Test[]): Test => (tests.length === 1 ? tests[0]! : (doc) => tests.every((test) => test(doc)));

function logical(name: string, value: unknown, variables: Doc): Test {
  switch (name) {
    case '$comment':
      return () => true;
    case '$expr': {
      const query = new Query({ $expr: promote(value) }, { variables: promote(variables) });
      return (doc) => query.test(promote(doc));
    }
    case '$and':
    case '$or':
    case '$nor': {
      if (!Array.isArray(value) || !value.length) throw bad(`${name} argument must be a non-empty array`);
      if (!value.every(isDocument)) throw bad('$or/$and/$nor entries need to be full objects');
      const tests = value.map((item) => matcher(item as Doc, variables));
      if (name === '$and') return every(tests);
      return (doc) => tests.some((test) => test(doc)) === (name === '$or');
    }
  }
  throw bad(
    `unknown top level operator: ${name}. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.`,
  );
}

/** Whether a filter's value is a set of operators, not a value to be equal to. */
export function isOperators(value: unknown): value is Doc {
  const first = isDocument(value) ? Object.keys(value)[0] : undefined;
  return first !== undefined && first.startsWith('$') && !['$ref', '$id', '$db'].includes(first);
}

function field(path: string, value: unknown): Test {
  const parts = path.split('.');
  if (!isOperators(value)) {
    const test = leaf(isRegex(value) ? regexTest(value) : equalTo(value));
    return (doc) => some(doc, parts, test);
  }
  return every(Object.entries(value).map(([name, argument]) => operator(parts, name, argument, value)));
}

const leaf =
  (test: Test): Test =>
  (value) =>
    test(value) || (Array.isArray(value) && value.some(test));

function equalTo(value: unknown): Test {
  if (value === null || value === undefined) return (other) => other === null || other === undefined;
  if (typeof value === 'string')
    return (other) => other === value || (typeof other === 'object' && equal(other, value));
  return (other) => other !== undefined && equal(other, value);
}

const isRegex = (value: unknown): value is BSONRegExp => value instanceof BSONRegExp;

function regexTest({ pattern, options }: BSONRegExp): Test {
  if (/[^imsxu]/.test(options)) throw new CommandError('BadValue', `invalid flag in regex options: ${options}`);
  let source = pattern;
  if (options.includes('x')) source = source.replace(/\\.|#.*$|\s+/gm, (part) => (part.startsWith('\\') ? part : ''));
  let flags = options.replace(/[^ims]/g, '');
  // PCRE's inline flags at the start of a pattern.
  source = source.replace(
    /^\(\?([ims]+)\)/,
    (_, inline: string) => ((flags = [...new Set(flags + inline)].join('')), ''),
  );
  let regex: RegExp;
  try {
    regex = new RegExp(source, flags);
  } catch {
    throw new CommandError('BadValue', 'Regular expression is invalid');
  }
  return (value) =>
    typeof value === 'string'
      ? regex.test(value)
      : isRegex(value) && value.pattern === pattern && value.options === options;
}

function operator(parts: string[], name: string, argument: any, siblings: Doc): Test {
  const on =
    (test: Test): Test =>
    (doc) =>
      some(doc, parts, test);
  const not =
    (test: Test): Test =>
    (doc) =>
      !test(doc);
  switch (name) {
    case '$ne':
      if (isRegex(argument)) throw bad("Can't have regex as arg to $ne.");
      return not(on(leaf(equalTo(argument))));
    case '$nin':
      return not(on(leaf(leafOperator('$in', argument, siblings))));
    case '$not':
      if (isRegex(argument)) return not(on(leaf(regexTest(argument))));
      if (!isOperators(argument)) throw bad('$not needs a regex or a document');
      return not(field(parts.join('.'), argument));
    case '$exists':
      return exists(parts, argument);
    case '$size': {
      const size = toNumber(argument);
      if (!Number.isInteger(size)) throw bad(`Failed to parse $size. Expected a number in: $size`);
      if (size < 0) throw bad('Failed to parse $size. Expected a non-negative number in: $size');
      return on((value) => Array.isArray(value) && value.length === size);
    }
    case '$all': {
      if (!Array.isArray(argument)) throw bad('$all needs an array');
      if (!argument.length) return () => false;
      return every(
        argument.map((item) =>
          isDocument(item) && '$elemMatch' in item
            ? operator(parts, '$elemMatch', item.$elemMatch, item)
            : field(parts.join('.'), item),
        ),
      );
    }
    case '$elemMatch': {
      const test = elementTest(argument);
      return on((value) => Array.isArray(value) && value.some(test));
    }
    default:
      return on(leaf(leafOperator(name, argument, siblings)));
  }
}

const exists = (parts: string[], argument: unknown): Test => {
  const wanted = truthy(argument);
  return (doc) => some(doc, parts, (value) => value !== undefined) === wanted;
};

const truthy = (value: unknown): boolean =>
  isNumber(value) ? toNumber(value) !== 0 : value !== false && value !== null;

/** A test of one element of an array, by operators or, for documents, by a filter. */
export function elementTest(argument: unknown): Test {
  if (!isDocument(argument)) throw bad('$elemMatch needs an Object');
  if (isOperators(argument) && !['$and', '$or', '$nor', '$expr'].includes(Object.keys(argument)[0]!)) {
    const test = field('e', argument);
    return (value) => test({ e: value });
  }
  const test = matcher(argument);
  return (value) => (isDocument(value) || Array.isArray(value)) && test(value);
}

const inequality: Record<string, (order: number) => boolean> = {
  $gt: (order) => order > 0,
  $gte: (order) => order >= 0,
  $lt: (order) => order < 0,
  $lte: (order) => order <= 0,
};

function leafOperator(name: string, argument: any, siblings: Doc): Test {
  if (name in inequality) {
    if (isRegex(argument)) throw bad(`Can't have RegEx as arg to predicate over field`);
    const holds = inequality[name]!;
    const type = rankOf(argument);
    // A comparison stays within its type, but for the two ends of all types.
    const anyType = type === rank.min || type === rank.max;
    if (Number.isNaN(toNumber(argument)) && type === rank.number)
      return (value) => name.endsWith('e') && Number.isNaN(value);
    return (value) => {
      if (value === undefined && type !== rank.null) return false;
      return (anyType || rankOf(value) === type) && !(value !== value) && holds(compare(value, argument));
    };
  }
  switch (name) {
    case '$eq':
      return isRegex(argument) ? (value) => isRegex(value) && equal(value, argument) : equalTo(argument);
    case '$in': {
      if (!Array.isArray(argument)) throw bad('$in needs an array');
      if (argument.some(isOperators)) throw bad('cannot nest $ under $in');
      const tests = argument.map((item) => (isRegex(item) ? regexTest(item) : equalTo(item)));
      return (value) => tests.some((test) => test(value));
    }
    case '$regex': {
      if (typeof argument !== 'string' && !isRegex(argument)) throw bad('$regex has to be a string');
      const options = siblings.$options ?? (isRegex(argument) ? argument.options : '');
      if (typeof options !== 'string') throw bad('$options has to be a string');
      return regexTest(new BSONRegExp(isRegex(argument) ? argument.pattern : argument, options));
    }
    case '$options':
      if (!('$regex' in siblings)) throw bad('$options needs a $regex');
      return () => true;
    case '$mod': {
      if (!Array.isArray(argument)) throw bad('malformed mod, needs to be an array');
      if (argument.length < 2) throw bad('malformed mod, not enough elements');
      if (argument.length > 2) throw bad('malformed mod, too many elements');
      const [divisor, remainder] = argument.map((item) => Math.trunc(toNumber(item))) as [number, number];
      if (Number.isNaN(divisor)) throw bad('malformed mod, divisor not a number');
      if (Number.isNaN(remainder)) throw bad('malformed mod, remainder not a number');
      if (divisor === 0) throw bad('divisor cannot be 0');
      return (value) => isNumber(value) && Math.trunc(toNumber(value)) % divisor === remainder;
    }
    case '$type':
      return typeTest(Array.isArray(argument) ? argument : [argument]);
    case '$bitsAllSet':
    case '$bitsAllClear':
    case '$bitsAnySet':
    case '$bitsAnyClear':
      return bitsTest(name, argument);
  }
  throw bad(`unknown operator: ${name}`);
}

const types: Record<string, [number, Test]> = {
  double: [1, (value) => value instanceof Double || (typeof value === 'number' && !isInt(value))],
  string: [2, (value) => typeof value === 'string'],
  object: [3, isDocument],
  array: [4, Array.isArray],
  binData: [5, (value) => value instanceof Binary],
  undefined: [6, () => false],
  objectId: [7, (value) => rankOf(value) === rank.id],
  bool: [8, (value) => typeof value === 'boolean'],
  date: [9, (value) => value instanceof Date],
  null: [10, (value) => value === null],
  regex: [11, isRegex],
  javascript: [13, (value) => rankOf(value) === rank.code],
  int: [16, (value) => typeof value === 'number' && isInt(value)],
  timestamp: [17, (value) => rankOf(value) === rank.timestamp],
  long: [18, isLong],
  decimal: [19, (value) => value instanceof Decimal128],
  minKey: [-1, (value) => rankOf(value) === rank.min],
  maxKey: [127, (value) => rankOf(value) === rank.max],
  number: [NaN, isNumber],
};

const isInt = (value: number): boolean => (value | 0) === value && !Object.is(value, -0);

function typeTest(wanted: unknown[]): Test {
  if (!wanted.length) throw new CommandError('FailedToParse', '$type must match at least one type');
  const tests = wanted.map((type) => {
    if (typeof type === 'string' && Object.hasOwn(types, type)) return types[type]![1];
    if (typeof type === 'string') throw bad(`Unknown type name alias: ${type}`);
    const found = Object.values(types).find(([code]) => code === toNumber(type));
    if (!found) throw bad(`Invalid numerical type code: ${toNumber(type)}`);
    return found[1];
  });
  return (value) => tests.some((test) => test(value));
}

function bitsTest(name: string, argument: unknown): Test {
  let mask = 0n;
  if (Array.isArray(argument)) for (const bit of argument) mask |= 1n << BigInt(toNumber(bit));
  else if (argument instanceof Binary) mask = bitsOf(argument);
  else if (isNumber(argument) && Number.isInteger(toNumber(argument)) && toNumber(argument) >= 0)
    mask = bitsOf(argument);
  else throw bad(`${name} takes an Array, a number, or a BinData but received: something else`);
  return (value) => {
    if (!(value instanceof Binary) && !(isNumber(value) && Number.isInteger(toNumber(value)))) return false;
    const set = BigInt.asUintN(4096, bitsOf(value)) & mask;
    if (name === '$bitsAllSet') return set === mask;
    if (name === '$bitsAllClear') return set === 0n;
    return name === '$bitsAnySet' ? set !== 0n : set !== mask;
  };
}

function bitsOf(value: unknown): bigint {
  if (value instanceof Binary) {
    const bytes = Buffer.from(value.buffer.subarray(0, value.position)).reverse();
    return BigInt(`0x${bytes.toString('hex') || '0'}`);
  }
  return value instanceof Long ? value.toBigInt() : BigInt(toNumber(value));
}
