import { Timestamp } from 'bson';
import { Decimal128, Double, Long, isDocument, isLong, isNumber, toNumber } from '../values/bson.js';
import { CommandError } from '../wire/errors.js';
import { elementTest } from '../query/match.js';
import { compare, equal, rank, rankOf } from '../values/order.js';
import type { Test } from '../query/predicates.js';
import { byKeys, type Sort } from '../query/sort.js';

const show = (value: unknown): string => JSON.stringify(value);

/** Copies containers, shares values. */
export function copyContainers<T>(value: T): T {
  if (Array.isArray(value)) return value.map(copyContainers) as T;
  if (!isDocument(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copyContainers(item)])) as T;
}

/** Each operator takes the current value (undefined: none) and the argument, and returns the new value. */
export const operators: Record<string, (value: any, argument: any, path: string) => unknown> = {
  $set: (_, argument) => copyContainers(argument),
  $setOnInsert: (_, argument) => copyContainers(argument),
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
    result.splice(whole($position, '$position') ?? result.length, 0, ...$each);
    if ($sort !== undefined) result = sortList(result, $sort);
    const count = whole($slice, '$slice');
    if (count === undefined) return result;
    return count < 0 ? result.slice(count) : result.slice(0, count);
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
    if (side !== 1 && side !== -1)
      throw new CommandError('FailedToParse', `$pop expects 1 or -1, found: ${show(argument)}`);
    const list = arrayAt(value, path, '$pop');
    return side === 1 ? list.slice(0, -1) : list.slice(1);
  },
};

/** @throws CommandError 2 if the value is present and not an integer. */
function whole(value: unknown, name: string): number | undefined {
  if (value === undefined) return undefined;
  const number = toNumber(value);
  if (Number.isInteger(number)) return number;
  throw new CommandError('BadValue', `The value for ${name} must be an integer value`);
}

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
  for (const order of isDocument(sort) ? Object.values(sort) : [sort]) {
    if (Math.abs(toNumber(order)) !== 1)
      throw new CommandError('BadValue', 'The $sort element value must be either 1 or -1');
  }
  if (!isDocument(sort)) return list.sort((a, b) => compare(a, b) * toNumber(sort));
  const fields = Object.entries(sort).map(([path, order]): Sort[number] => [path, toNumber(order)]);
  const keysOf = (item: unknown): unknown[] =>
    fields.map(([path]) => path.split('.').reduce((value: any, part) => value?.[part], item));
  const order = byKeys(fields);
  const rows = list.map((item) => ({ item, keys: keysOf(item) }));
  return rows.sort((a, b) => order(a.keys, b.keys)).map(({ item }) => item);
}

const isInteger = (value: unknown): boolean => isLong(value) || (typeof value === 'number' && (value | 0) === value);

/** The result has the wider of the two types, or 64 bits if 32 are not enough. */
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
  if (value instanceof Decimal128 || argument instanceof Decimal128)
    throw new CommandError('BadValue', `${name} of a Decimal128 is not supported by embedded-mongo: {${path}: …}`);
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
