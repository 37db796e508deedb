import { Doc, isDocument, isNumber, toNumber } from '../bson.js';
import { CommandError } from '../errors.js';
import { unsupported } from '../options.js';
import { compare } from '../order.js';
import { sortKey } from '../paths.js';
import { byKeys, sortOf } from '../sort.js';
import { compareValues, isNullish, isTrue, keyOf } from '../values.js';
import {
  EvaluationContext,
  Operator,
  arrayOf,
  fixed,
  intOf,
  named,
  nullable,
  parts,
  unary,
  variadic,
} from './operator.js';

/** One element, counted from the end if negative. Undefined if out of range. */
function elementAt([list, index]: any[], name: string): unknown {
  const at = intOf(index, name, 28690);
  const items = arrayOf(list, name, 28689);
  return items[at < 0 ? items.length + at : at];
}

const end = (first: boolean): Operator =>
  unary((list, name) => {
    if (isNullish(list)) return null;
    return arrayOf(list, name, 28689).at(first ? 0 : -1);
  });

/** @throws CommandError 5787902 and others if it is not a positive number of elements. */
export function countOf(value: unknown, name: string): number {
  const count = isNumber(value) ? toNumber(value) : NaN;
  if (!Number.isInteger(count)) throw new CommandError(5787902, `Value for 'n' of ${name} must be of integral type`);
  if (count <= 0) throw new CommandError(5787908, `'n' of ${name} must be greater than 0`);
  return count;
}

const several = (take: (items: unknown[], count: number) => unknown[]): Operator =>
  named(['n', 'input'], [], ({ n, input }, name) => take(arrayOf(input, name, 5788200), countOf(n, name)));

const present = (items: unknown[]): unknown[] => items.filter((item) => !isNullish(item));

/** Compiles an operator that iterates over an array, with a variable for the element. */
function over(
  inner: 'cond' | 'in',
  optional: string[],
  code: number,
  run: (items: unknown[], each: (item: unknown) => unknown, limit: unknown, name: string) => unknown,
): Operator {
  return (argument, build, name) => {
    const given = parts(argument, name, ['input', inner], ['as', ...optional]);
    const as = given.as ?? 'this';
    if (typeof as !== 'string') throw new CommandError('FailedToParse', `'as' of ${name} must be a string`);
    const input = build(given.input);
    const body = build(given[inner], [as]);
    const limit = given.limit === undefined ? undefined : build(given.limit);
    return (env) => {
      const list = input(env);
      if (isNullish(list)) return null;
      const each = (item: unknown): unknown => body({ ...env, variables: { ...env.variables, [as]: item } });
      return run(arrayOf(list, name, code), each, limit?.(env), name);
    };
  };
}

function filtered(items: unknown[], each: (item: unknown) => unknown, limit: unknown, name: string): unknown[] {
  if (isNullish(limit)) return items.filter((item) => isTrue(each(item)));
  const most = intOf(limit, name, 327391);
  if (most < 1) throw new CommandError(327392, '$filter: limit must be greater than 0');
  const found: unknown[] = [];
  for (const item of items) if (found.length < most && isTrue(each(item))) found.push(item);
  return found;
}

const reduced: Operator = (argument, build, name) => {
  const given = parts(argument, name, ['input', 'initialValue', 'in']);
  const input = build(given.input);
  const start = build(given.initialValue);
  const step = build(given.in, ['this', 'value']);
  return (env: EvaluationContext) => {
    const list = input(env);
    if (isNullish(list)) return null;
    return arrayOf(list, name, 40080).reduce(
      (value, item) => step({ ...env, variables: { ...env.variables, this: item, value } }),
      start(env),
    );
  };
};

const MAX_RANGE = 1_000_000;

function range([start, stop, step = 1]: any[], name: string): number[] {
  const [from, to, by] = [intOf(start, name, 34443), intOf(stop, name, 34445), intOf(step, name, 34447)];
  if (by === 0) throw new CommandError(34449, '$range requires a non-zero step value');
  const count = Math.max(0, Math.ceil((to - from) / by));
  if (count > MAX_RANGE) throw unsupported(`$range of more than ${MAX_RANGE} elements is`, 'QueryExceededMemoryLimit');
  return Array.from({ length: count }, (_, i) => from + i * by);
}

function slice([list, first, second]: any[], name: string): unknown[] {
  const items = arrayOf(list, name, 28724);
  const from = intOf(first, name, 28725);
  if (second === undefined) return from < 0 ? items.slice(from) : items.slice(0, from);
  const count = intOf(second, name, 28727);
  if (count <= 0) throw new CommandError(28729, 'Third argument to $slice must be positive');
  const start = from < 0 ? Math.max(items.length + from, 0) : from;
  return items.slice(start, start + count);
}

function indexOf([list, wanted, start = 0, stop = Infinity]: any[], name: string): number | null {
  if (isNullish(list)) return null;
  const items = arrayOf(list, name, 40090);
  const [from, to] = [start, stop].map((bound) => (bound === Infinity ? bound : intOf(bound, name, 40096)));
  if (from! < 0 || to! < 0) throw new CommandError(40097, `${name} requires a nonnegative index`);
  for (let i = from!; i < Math.min(items.length, to!); i++) if (compareValues(items[i], wanted) === 0) return i;
  return -1;
}

function toObject(list: unknown, name: string): unknown {
  if (isNullish(list)) return null;
  return Object.fromEntries(
    arrayOf(list, name, 40386).map((item): [string, unknown] => {
      const shape = isDocument(item) && Object.keys(item).sort().join() === 'k,v';
      const [key, value] = shape ? [item.k, item.v] : Array.isArray(item) && item.length === 2 ? item : [];
      if (typeof key !== 'string' || key.includes('\0'))
        throw new CommandError(40398, `${name} needs an array of [key, value] or {k: key, v: value}`);
      return [key, value];
    }),
  );
}

function sorted({ input, sortBy }: Doc, name: string): unknown {
  if (isNullish(input)) return null;
  const items = [...arrayOf(input, name, 2942504)];
  if (!isDocument(sortBy)) {
    const [[, order]] = sortOf({ '': sortBy }) as [[string, number]];
    return items.sort((a, b) => compare(a, b) * order);
  }
  const fields = sortOf(sortBy);
  const rows = items.map((item) => ({
    item,
    keys: fields.map(([path, order]) => (isDocument(item) ? sortKey(item, path.split('.'), order < 0) : undefined)),
  }));
  const order = byKeys(fields);
  return rows.sort((a, b) => order(a.keys, b.keys)).map(({ item }) => item);
}

/** The elements of a set; of equal elements, the first. */
function keys(value: unknown, name: string): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const item of arrayOf(value, name, 17044)) {
    const key = keyOf(item);
    if (!found.has(key)) found.set(key, item);
  }
  return found;
}

const all = (values: unknown[], name: string): Map<string, unknown>[] => values.map((value) => keys(value, name));

const sets: Record<string, Operator> = {
  $setUnion: variadic((values, name) =>
    values.some(isNullish)
      ? null
      : [
          ...keys(
            all(values, name).flatMap((set) => [...set.values()]),
            name,
          ).values(),
        ],
  ),
  $setIntersection: variadic((values, name) => {
    if (values.some(isNullish)) return null;
    const [first = new Map<string, unknown>(), ...rest] = all(values, name);
    return [...first].filter(([key]) => rest.every((set) => set.has(key))).map(([, item]) => item);
  }),
  $setDifference: nullable(2, 2, (values, name) => {
    const [left, right] = all(values, name) as [Map<string, unknown>, Map<string, unknown>];
    return [...left].filter(([key]) => !right.has(key)).map(([, item]) => item);
  }),
  $setEquals: fixed(2, Infinity, (values, name) => {
    const [first, ...rest] = all(values, name);
    return rest.every((set) => set.size === first!.size && [...set.keys()].every((key) => first!.has(key)));
  }),
  $setIsSubset: fixed(2, 2, (values, name) => {
    const [left, right] = all(values, name);
    return [...left!.keys()].every((key) => right!.has(key));
  }),
  $anyElementTrue: unary((list, name) => arrayOf(list, name, 17041).some(isTrue)),
  $allElementsTrue: unary((list, name) => arrayOf(list, name, 17040).every(isTrue)),
};

export const arrays: Record<string, Operator> = {
  ...sets,
  $arrayElemAt: nullable(2, 2, elementAt),
  $arrayToObject: unary(toObject),
  $concatArrays: variadic((lists, name) =>
    lists.some(isNullish) ? null : lists.flatMap((list) => arrayOf(list, name, 28664)),
  ),
  $filter: over('cond', ['limit'], 28651, filtered),
  $first: end(true),
  $firstN: several((items, count) => items.slice(0, count)),
  $in: fixed(2, 2, ([value, list], name) =>
    arrayOf(list, name, 40081).some((item) => compareValues(item, value) === 0),
  ),
  $indexOfArray: fixed(2, 4, indexOf),
  $isArray: unary(Array.isArray),
  $last: end(false),
  $lastN: several((items, count) => items.slice(-count)),
  $map: over('in', [], 16883, (items, each) => items.map((item) => each(item) ?? null)),
  $maxN: several((items, count) =>
    present(items)
      .sort((a, b) => compare(b, a))
      .slice(0, count),
  ),
  $minN: several((items, count) => present(items).sort(compare).slice(0, count)),
  $range: fixed(2, 3, range),
  $reduce: reduced,
  $reverseArray: unary((list, name) => (isNullish(list) ? null : [...arrayOf(list, name, 34435)].reverse())),
  $size: unary((list, name) => arrayOf(list, name, 17124).length),
  $slice: nullable(2, 3, slice),
  $sortArray: (argument, build, name) => {
    // `sortBy` is not an expression.
    const given = parts(argument, name, ['input', 'sortBy']);
    const input = build(given.input);
    sorted({ input: [], sortBy: given.sortBy }, name);
    return (env) => sorted({ input: input(env), sortBy: given.sortBy }, name);
  },
};
