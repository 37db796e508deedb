import { Doc, isDocument } from './bson.js';
import type { Collection, Index } from './catalogue.js';
import { BSONRegExp } from './bson.js';
import { isOperators } from './match.js';
import { compare, rank, rankOf, sortable } from './order.js';
import { prefix } from './records.js';

/** What a filter asks of one path: `$in` values (an equality is one of one), and an interval within a type. */
interface Condition {
  values?: unknown[];
  low?: { value: unknown; inclusive: boolean };
  high?: { value: unknown; inclusive: boolean };
}

export interface Range {
  start: Buffer;
  end: Buffer;
}

/** How to walk: an index (or the documents themselves), which parts of it, and what remains to be done. */
export interface Plan {
  index?: Index;
  ranges: Range[];
  reverse: boolean;
  /** The walk is in the order of the sort. */
  sorted: boolean;
  /** Everything in the ranges matches the filter. */
  covered: boolean;
}

/** Chooses the walk for a filter and a sort; a hinted index is taken as it is. */
export function plan(collection: Collection, filter: Doc, sort: [string, number][], hint?: Index): Plan {
  const conditions = conditionsOf(filter);
  let best: Plan = {
    ranges: [{ start: prefix(collection.id), end: prefix(collection.id + 1) }],
    reverse: sort.length === 1 && sort[0]![0] === '$natural' && sort[0]![1] < 0,
    sorted: !sort.length || sort[0]![0] === '$natural',
    covered: !Object.keys(filter).length,
  };
  if (best.sorted && sort.length && !hint) return best;
  let bestScore = 0;
  for (const index of hint ? [hint] : collection.indexes) {
    if (!hint && !complete(index, filter, conditions)) continue;
    const { plan: candidate, score } = walk(index, filter, conditions, sort);
    if (score > bestScore || hint) {
      best = candidate;
      bestScore = score;
    }
  }
  return best;
}

function walk(
  index: Index,
  filter: Doc,
  conditions: Map<string, Condition>,
  sort: [string, number][],
): { plan: Plan; score: number } {
  // The entries of a multikey index belong to single elements: two conditions may be met by different ones.
  const roots = new Set(index.fields.map(({ parts }) => parts[0]));
  const usable = index.multikey && roots.size < index.fields.length ? 1 : index.fields.length;
  let starts: Buffer[] = [prefix(index.id)];
  let used = 0;
  let equal = 0;
  let many = false;
  for (const { path, descending } of index.fields.slice(0, usable)) {
    const values = conditions.get(path)?.values;
    if (!values || starts.length * values.length > 1000) break;
    const next = values.map((value) => sortable(value, descending));
    starts = starts.flatMap((start) => next.map((bytes) => Buffer.concat([start, bytes])));
    many ||= values.length > 1;
    equal++;
    used++;
  }
  const bounded = equal < usable ? interval(index, equal, conditions, starts) : undefined;
  if (bounded) used++;
  const ranges = bounded ?? starts.map((start) => (equal ? exactly(start) : { start, end: prefix(index.id + 1) }));
  const direction = many || index.multikey ? 0 : sortDirection(index, equal, conditions, sort);
  ranges.sort((a, b) => Buffer.compare(a.start, b.start));
  const sorted = !sort.length || direction !== 0;
  const plan = {
    index,
    ranges: unique(ranges),
    reverse: direction < 0,
    sorted,
    covered: !index.multikey && coveredBy(index, used, filter),
  };
  return {
    plan,
    score:
      equal * 4 +
      (bounded ? 2 : 0) +
      (sort.length && sorted ? 3 : 0) +
      (equal === index.fields.length && index.unique ? 4 : 0),
  };
}

const unique = (ranges: Range[]): Range[] => ranges.filter(({ start }, i) => !i || !ranges[i - 1]!.start.equals(start));
const after = (bytes: Buffer, byte: number): Buffer => Buffer.concat([bytes, Buffer.from([byte])]);
/** What follows a whole value is a rank, an inverted one or a record number: 1 to 254. */
const exactly = (bytes: Buffer): Range => ({ start: after(bytes, 1), end: after(bytes, 255) });

function interval(
  index: Index,
  position: number,
  conditions: Map<string, Condition>,
  starts: Buffer[],
): Range[] | undefined {
  const { path, descending } = index.fields[position]!;
  const condition = conditions.get(path);
  if (!condition?.low && !condition?.high) return undefined;
  let { low, high } = condition;
  if (low && high && rankOf(low.value) !== rankOf(high.value)) high = undefined;
  // Different elements may meet the two ends, so only one of them bounds the walk.
  if (index.multikey && low) high = undefined;
  const type = rankOf((low ?? high)!.value);
  const edge = descending ? 255 - type : type;
  if (descending) [low, high] = [high, low];
  return starts.map((start) => ({
    start: low
      ? after(Buffer.concat([start, sortable(low.value, descending)]), low.inclusive ? 1 : 255)
      : after(start, edge),
    end: high
      ? after(Buffer.concat([start, sortable(high.value, descending)]), high.inclusive ? 255 : 1)
      : after(start, edge + 1),
  }));
}

/** 1 or -1 when walking the index forward or backward gives the order of the sort, else 0. */
function sortDirection(
  index: Index,
  equal: number,
  conditions: Map<string, Condition>,
  sort: [string, number][],
): number {
  const wanted = sort.filter(
    ([path]) =>
      conditions.get(path)?.values?.length !== 1 || !index.fields.slice(0, equal).some((field) => field.path === path),
  );
  if (!wanted.length) return sort.length ? 1 : 0;
  let direction = 0;
  for (const [i, [path, order]] of wanted.entries()) {
    const field = index.fields[equal + i];
    if (field?.path !== path) return 0;
    const here = order < 0 === field.descending ? 1 : -1;
    if (direction && here !== direction) return 0;
    direction = here;
  }
  return direction;
}

/** Whether an index holds every document that the filter can match. */
function complete(index: Index, filter: Doc, conditions: Map<string, Condition>): boolean {
  const excludesMissing = (path: string): boolean => {
    const { values, low, high } = conditions.get(path) ?? {};
    const bound = low ?? high;
    return values
      ? values.every((value) => rankOf(value) !== rank.null)
      : bound !== undefined && rankOf(bound.value) !== rank.null;
  };
  if (index.sparse && !index.fields.some(({ path }) => excludesMissing(path))) return false;
  const needed: Doc | undefined = index.spec.partialFilterExpression;
  return (
    !needed ||
    Object.entries(needed).every(([path, wanted]) => implied(path, wanted, filter, conditions, excludesMissing))
  );
}

function implied(
  path: string,
  wanted: unknown,
  filter: Doc,
  conditions: Map<string, Condition>,
  excludesMissing: (path: string) => boolean,
): boolean {
  const { values } = conditions.get(path) ?? {};
  if (!isOperators(wanted)) return values?.length === 1 && compare(values[0], wanted) === 0;
  if (filter[path] !== undefined && compare(filter[path], wanted) === 0) return true;
  return Object.entries(wanted).every(([name, value]) => {
    if (name === '$exists') return value && excludesMissing(path);
    if (name === '$eq') return values?.length === 1 && compare(values[0], value) === 0;
    if (name === '$type') return value === 'string' && (values?.every((item) => typeof item === 'string') ?? false);
    return false;
  });
}

const BOUNDS = ['$gt', '$gte', '$lt', '$lte'];
/** An index has no key for a whole array, and a regular expression is no value. */
const sargable = (value: unknown): boolean =>
  !Array.isArray(value) && !(value instanceof BSONRegExp) && value !== undefined;

/** Whether the first `used` fields' bounds say all that the filter says. */
function coveredBy(index: Index, used: number, filter: Doc): boolean {
  const paths = index.fields.slice(0, used).map(({ path }) => path);
  return Object.entries(filter).every(([path, value]) => {
    if (!paths.includes(path)) return false;
    const parts = isOperators(value) ? Object.entries(value) : [['$eq', value] as const];
    const bounds = parts.filter(([name]) => name !== '$eq' && name !== '$in');
    if (bounds.length && bounds.length !== parts.length) return false;
    if (new Set(parts.map(([name]) => name.slice(0, 3))).size !== parts.length) return false;
    if (bounds.length && new Set(parts.map(([, item]) => rankOf(item))).size > 1) return false;
    return parts.every(([name, item]) => {
      const list = name === '$in' ? item : [item];
      if (!['$eq', '$in', ...BOUNDS].includes(name) || !Array.isArray(list)) return false;
      return list.every(
        (one) => sargable(one) && ![rank.null, rank.min, rank.max].includes(rankOf(one)) && one === one,
      );
    });
  });
}

function conditionsOf(filter: Doc): Map<string, Condition> {
  const found = new Map<string, Condition>();
  const narrow = (path: string, more: Condition): void => {
    const had = found.get(path) ?? {};
    found.set(path, {
      values: had.values ?? more.values,
      low: tighter(had.low, more.low, 1),
      high: tighter(had.high, more.high, -1),
    });
  };
  for (const [path, value] of Object.entries(filter)) {
    if (path === '$and' && Array.isArray(value)) {
      for (const part of value) for (const [name, condition] of conditionsOf(part)) narrow(name, condition);
    } else if (path === '$or' && Array.isArray(value)) {
      for (const [name, condition] of hull(value.map(conditionsOf))) narrow(name, condition);
    } else if (!path.startsWith('$')) narrow(path, conditionOf(value));
  }
  return found;
}

function conditionOf(value: unknown): Condition {
  if (!isOperators(value)) return sargable(value) ? { values: [value] } : {};
  const condition: Condition = {};
  for (const [name, item] of Object.entries(value)) {
    if (name === '$eq' && sargable(item)) condition.values = [item];
    else if (name === '$in' && Array.isArray(item) && item.every(sargable)) condition.values = item;
    else if (
      BOUNDS.includes(name) &&
      sargable(item) &&
      ![rank.null, rank.min, rank.max].includes(rankOf(item)) &&
      item === item
    ) {
      const end = name.startsWith('$g') ? 'low' : 'high';
      condition[end] = tighter(condition[end], { value: item, inclusive: name.endsWith('e') }, end === 'low' ? 1 : -1);
    }
  }
  return condition;
}

type Bound = NonNullable<Condition['low']>;

function tighter(a: Bound | undefined, b: Bound | undefined, sign: number): Bound | undefined {
  if (!a || !b) return a ?? b;
  const order = compare(a.value, b.value) * sign;
  if (order) return order > 0 ? a : b;
  return a.inclusive ? b : a;
}

/** For an `$or`: the interval around what its branches ask of a path, where all ask something of it. */
function hull(branches: Map<string, Condition>[]): Map<string, Condition> {
  const found = new Map<string, Condition>();
  for (const path of branches[0]?.keys() ?? []) {
    const ends = branches.map((branch) => {
      const { values, low, high } = branch.get(path) ?? {};
      if (!values) return { low, high };
      const sorted = [...values].sort(compare);
      return {
        low: sorted.length ? { value: sorted[0], inclusive: true } : undefined,
        high: sorted.length ? { value: sorted.at(-1), inclusive: true } : undefined,
      };
    });
    const types = new Set(
      ends.flatMap(({ low, high }) => [low, high].filter((end) => end).map((end) => rankOf(end!.value))),
    );
    if (types.size !== 1 || types.has(rank.null)) continue;
    const looser = (list: (Bound | undefined)[], sign: number): Bound | undefined =>
      list.every((end) => end) ? (list as Bound[]).reduce((a, b) => (tighter(a, b, sign) === a ? b : a)) : undefined;
    found.set(path, {
      low: looser(
        ends.map(({ low }) => low),
        1,
      ),
      high: looser(
        ends.map(({ high }) => high),
        -1,
      ),
    });
  }
  return found;
}

export const isEmpty = (value: unknown): boolean => isDocument(value) && !Object.keys(value).length;
