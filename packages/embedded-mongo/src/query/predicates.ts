import { BSONSymbol } from 'bson';
import { BSONRegExp, Binary, Decimal128, Doc, Double, isDocument, isLong, isNumber, toNumber } from '../values/bson.js';
import { CommandError } from '../wire/errors.js';
import { unsupported } from '../wire/options.js';
import { compare, equal, rank, rankOf } from '../values/order.js';

/** A test of a document, or of one value. */
export type Test = (value: any) => boolean;

export const bad = (message: string): CommandError => new CommandError('BadValue', message);

/** Whether a filter's value is a set of operators rather than a value to compare with. */
export function isOperators(value: unknown): value is Doc {
  const first = isDocument(value) ? Object.keys(value)[0] : undefined;
  return first !== undefined && first.startsWith('$') && !['$ref', '$id', '$db'].includes(first);
}

/** Null equals a missing field. */
export function equalTo(value: unknown): Test {
  if (value === null || value === undefined) return (other) => other === null || other === undefined;
  if (typeof value === 'string')
    return (other) => other === value || (typeof other === 'object' && equal(other, value));
  return (other) => other !== undefined && equal(other, value);
}

export const isRegex = (value: unknown): value is BSONRegExp => value instanceof BSONRegExp;

/** PCRE escapes that JavaScript would silently interpret differently. */
const UNSUPPORTED = /\\[AZzGQEKXRNHhVCgpPaeol]|\\x\{|\[\[:|\[\^?\]/;

/** In PCRE, `$` also matches before a final line break, and a dot matches anything but a line feed. */
function asPerl(source: string, flags: string): string {
  let result = '';
  let inClass = false;
  for (let i = 0; i < source.length; i++) {
    const letter = source[i]!;
    if (letter === '\\') result += letter + (source[++i] ?? '');
    else if (inClass || letter === '[') {
      inClass = letter !== ']';
      result += letter;
    } else if (letter === '$' && !flags.includes('m')) result += '(?=\\n?$)';
    else result += letter === '.' && !flags.includes('s') ? '[^\\n]' : letter;
  }
  return result;
}

/** A PCRE pattern, if JavaScript has an equivalent. @throws CommandError if it is invalid, or has no equivalent. */
function expressionOf(pattern: string, options: string): RegExp {
  if (pattern.includes('\0')) throw bad('Regular expression cannot contain an embedded null byte');
  if (/[^imsxu]/.test(options)) throw new CommandError(51108, `invalid flag in regex options: ${options}`);
  let source = pattern;
  if (options.includes('x')) source = source.replace(/\\.|#.*$|\s+/gm, (part) => (part.startsWith('\\') ? part : ''));
  let all = options.replace(/[^ims]/g, '');
  // PCRE's inline flags at the start of a pattern.
  source = source.replace(/^\(\?([ims]+)\)/, (_, inline: string) => ((all = [...new Set(all + inline)].join('')), ''));
  const [foreign] = UNSUPPORTED.exec(source.replace(/\\\\/g, '')) ?? [];
  if (foreign) throw bad(`'${foreign}' in a regular expression is not supported by embedded-mongo`);
  source = asPerl(source, all);
  try {
    return new RegExp(source, all);
  } catch {
    throw new CommandError(51091, 'Regular expression is invalid');
  }
}

export function regexTest({ pattern, options }: Pick<BSONRegExp, 'pattern' | 'options'>): Test {
  const regex = expressionOf(pattern, options);
  return (value) =>
    typeof value === 'string'
      ? regex.test(value)
      : isRegex(value) && value.pattern === pattern && value.options === options;
}

const isNaNumber = (value: unknown): boolean => isNumber(value) && Number.isNaN(toNumber(value));

const inequality: Record<string, (order: number) => boolean> = {
  $gt: (order) => order > 0,
  $gte: (order) => order >= 0,
  $lt: (order) => order < 0,
  $lte: (order) => order <= 0,
};

/** Operators of geography and of bits. */
const OTHERS =
  /^\$(bitsAllSet|bitsAllClear|bitsAnySet|bitsAnyClear|near|nearSphere|geoWithin|geoIntersects|within|geoNear|maxDistance|minDistance)$/;

/** Operators that test a single value: the one at the path, or one of its elements. */
export function leafOperator(name: string, argument: any, siblings: Doc): Test {
  if (name in inequality) {
    if (isRegex(argument)) throw bad(`Can't have RegEx as arg to predicate over field`);
    const holds = inequality[name]!;
    const type = rankOf(argument);
    // A comparison stays within its type, except with MinKey and MaxKey.
    const anyType = type === rank.min || type === rank.max;
    if (isNaNumber(argument)) return (value) => name.endsWith('e') && isNaNumber(value);
    return (value) => {
      if (anyType) return holds(compare(value, argument));
      if (value === undefined && type !== rank.null) return false;
      return rankOf(value) === type && !isNaNumber(value) && holds(compare(value, argument));
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
      // BSON stores the options in alphabetical order.
      const sorted = [...options].sort().join('');
      return regexTest({ pattern: isRegex(argument) ? argument.pattern : argument, options: sorted });
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
  }
  if (OTHERS.test(name)) throw unsupported(`${name} is`, 'BadValue');
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
  symbol: [14, (value) => value instanceof BSONSymbol],
  javascript: [13, (value) => rankOf(value) === rank.code],
  javascriptWithScope: [15, (value) => rankOf(value) === rank.scope],
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
    if (!isNumber(type)) throw new CommandError('TypeMismatch', 'type must be represented as a number or a string');
    const found = Object.values(types).find(([code]) => code === toNumber(type));
    if (!found) throw bad(`Invalid numerical type code: ${toNumber(type)}`);
    return found[1];
  });
  return (value) => tests.some((test) => test(value));
}
