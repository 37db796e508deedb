import { Decimal128, Doc, Long, ObjectId, encode, isDocument, isLong, isNumber, toNumber } from '../bson.js';
import { CommandError } from '../errors.js';
import { bigOf, double, integer, isNullish, isTrue, kindOf, typeOf } from '../values.js';
import { unsupported } from '../options.js';
import { dateAt } from './arithmetic.js';
import { Operator, parts, unary } from './operator.js';

const failed = (value: unknown, to: string, why = ''): CommandError =>
  new CommandError('ConversionFailure', `Unsupported conversion from ${typeOf(value)} to ${to} in $convert${why}`);

/** A number as a string, for numbers that all versions of MongoDB format alike. */
function numberText(value: unknown, name: string): string {
  if (isLong(value) || value instanceof Decimal128 || kindOf(value) === 'int') return String(value);
  const number = toNumber(value);
  const text = String(number);
  if (text.includes('e') || !Number.isFinite(number) || Number(number.toPrecision(16)) !== number)
    throw unsupported(`${name} of the double ${text} is`, 'CommandNotSupported');
  return Object.is(number, -0) ? '-0' : text;
}

/** @throws CommandError 241 for a value that cannot be converted to a string. */
export function stringOf(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof ObjectId) return value.toHexString();
  if (isNumber(value)) return numberText(value, name);
  throw failed(value, 'string');
}

function whole(value: unknown, bits: 32 | 64): unknown {
  const to = bits === 32 ? 'int' : 'long';
  let result: bigint;
  if (typeof value === 'boolean') result = value ? 1n : 0n;
  else if (value instanceof Date && bits === 64) result = BigInt(value.getTime());
  else if (typeof value === 'string') {
    if (!/^[+-]?\d+$/.test(value)) throw failed(value, to, `: Failed to parse number '${value}'`);
    result = BigInt(value.replace('+', ''));
  } else if (value instanceof Decimal128) {
    const [text] = value.toString().split('.') as [string];
    if (!/^-?\d+$/.test(text) || value.toString().includes('E'))
      throw unsupported(`$convert of the Decimal128 ${value.toString()} is`, 'CommandNotSupported');
    result = BigInt(text);
  } else if (isNumber(value)) {
    const number = toNumber(value);
    if (!Number.isFinite(number)) throw failed(value, to, ': Attempt to convert an infinite value or NaN');
    result = isLong(value) ? bigOf(value) : BigInt(Math.trunc(number));
  } else throw failed(value, to);
  if (BigInt.asIntN(bits, result) !== result) throw failed(value, to, ': Conversion would overflow target type');
  return bits === 32 ? Number(result) : Long.fromBigInt(result);
}

function toDouble(value: unknown): unknown {
  if (typeof value === 'boolean') return double(value ? 1 : 0);
  if (value instanceof Date) return double(value.getTime());
  if (isNumber(value)) return double(toNumber(value));
  if (typeof value !== 'string') throw failed(value, 'double');
  if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(value))
    throw failed(value, 'double', `: Failed to parse number '${value}'`);
  const number = Number(value);
  if (!Number.isFinite(number)) throw failed(value, 'double', ': Out of range');
  return double(number);
}

function toDecimal(value: unknown): Decimal128 {
  if (value instanceof Decimal128) return value;
  if (typeof value === 'boolean') return Decimal128.fromString(value ? '1' : '0');
  if (value instanceof Date) return Decimal128.fromString(String(value.getTime()));
  if (isNumber(value) && kindOf(value) !== 'double') return Decimal128.fromString(String(value));
  if (isNumber(value)) throw unsupported('$convert of a double to a Decimal128 is', 'CommandNotSupported');
  if (typeof value !== 'string') throw failed(value, 'decimal');
  try {
    return Decimal128.fromString(value);
  } catch {
    throw failed(value, 'decimal', `: Failed to parse number '${value}'`);
  }
}

const ISO = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:?\d\d)?)?$/;

function toDate(value: unknown): Date {
  if (value instanceof Date) return value;
  if (value instanceof ObjectId) return value.getTimestamp();
  if (isNumber(value) && kindOf(value) !== 'int') return dateAt(Math.trunc(toNumber(value)));
  if (typeof value !== 'string') throw failed(value, 'date');
  if (!ISO.test(value))
    throw unsupported(`the date '${value}', which is not written as ISO 8601 has it, is`, 'CommandNotSupported');
  const zoned = value.length === 10 || /(Z|[+-]\d\d:?\d\d)$/.test(value.slice(10)) ? value : `${value}Z`;
  const date = new Date(
    zoned.replace(/([+-]\d\d)(\d\d)$/, (text, hours, minutes) => (value.length === 10 ? text : `${hours}:${minutes}`)),
  );
  const day = Number(value.slice(8, 10));
  if (
    Number.isNaN(date.getTime()) ||
    day > new Date(Date.UTC(Number(value.slice(0, 4)), Number(value.slice(5, 7)), 0)).getUTCDate()
  )
    throw failed(value, 'date', `: Error parsing date string '${value}'`);
  return date;
}

function toObjectId(value: unknown): ObjectId {
  if (value instanceof ObjectId) return value;
  if (typeof value !== 'string') throw failed(value, 'objectId');
  if (!/^[\da-f]{24}$/i.test(value)) throw failed(value, 'objectId', `: Failed to parse objectId '${value}'`);
  return ObjectId.createFromHexString(value);
}

const conversions: Record<string, [code: number, run: (value: unknown) => unknown]> = {
  double: [1, toDouble],
  string: [2, (value) => stringOf(value, '$convert')],
  objectId: [7, toObjectId],
  bool: [8, (value) => isTrue(value)],
  date: [9, toDate],
  int: [16, (value) => whole(value, 32)],
  long: [18, (value) => whole(value, 64)],
  decimal: [19, toDecimal],
};

/** @throws CommandError 9 or 2 for an invalid type. */
function conversionTo(type: unknown): (value: unknown) => unknown {
  const found = Object.entries(conversions).find(
    ([name, [code]]) => name === type || (isNumber(type) && toNumber(type) === code),
  );
  if (!found)
    throw unsupported(`$convert to ${isDocument(type) ? 'a subtype' : String(type)} is`, 'CommandNotSupported');
  return found[1][1];
}

const convert: Operator = (argument, build, name) => {
  const given = parts(argument, name, ['input', 'to'], ['onError', 'onNull']);
  const input = build(given.input);
  const to = build(given.to);
  const onNull = build(given.onNull ?? null);
  const onError = given.onError === undefined ? undefined : build(given.onError);
  return (env) => {
    const value = input(env);
    const type = to(env);
    if (isNullish(value)) return onNull(env);
    if (isNullish(type)) return null;
    const run = conversionTo(type);
    try {
      return run(value);
    } catch (error) {
      if (onError && error instanceof CommandError && error.codeName === 'ConversionFailure') return onError(env);
      throw error;
    }
  };
};

const one = (type: string): Operator => {
  const [, run] = conversions[type]!;
  return unary((value) => (isNullish(value) ? null : run(value)));
};

function size(value: unknown, name: string): unknown {
  if (isNullish(value)) return null;
  if (!isDocument(value)) throw new CommandError(31393, `${name} requires a document input, found: ${typeOf(value)}`);
  return integer(BigInt(encode(value as Doc).length));
}

export const converters: Record<string, Operator> = {
  $bsonSize: unary(size),
  $convert: convert,
  $isNumber: unary(isNumber),
  $toBool: one('bool'),
  $toDate: one('date'),
  $toDecimal: one('decimal'),
  $toDouble: one('double'),
  $toInt: one('int'),
  $toLong: one('long'),
  $toObjectId: one('objectId'),
  $toString: one('string'),
  $type: unary(typeOf),
};
