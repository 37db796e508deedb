import { Doc, isDocument } from '../values/bson.js';
import type { Collection, Index } from '../storage/catalogue.js';
import { Condition, Conditions, conditionsOf, excludesMissing, saysAll } from './conditions.js';
import { isOperators } from './predicates.js';
import { compare, rankOf, sortable } from '../values/order.js';
import { prefix } from '../storage/records.js';
import type { Sort } from './sort.js';

export interface Range {
  start: Buffer;
  end: Buffer;
}

/** How to scan: which index (or the documents themselves), which ranges of it, and what remains to be done. */
export interface Plan {
  index?: Index;
  /** In order, without overlap. */
  ranges: Range[];
  reverse: boolean;
  /** The scan yields documents in sort order. */
  sorted: boolean;
  /** Everything in the ranges matches the filter, so no document needs to be tested. */
  covered: boolean;
}

interface Reach {
  ranges: Range[];
  /** The number of leading fields with an equality. */
  equal: number;
  /** Some of them have several values. */
  many: boolean;
  /** The field after them is bounded. */
  bounded: boolean;
  covered: boolean;
}

/** Chooses the scan for a filter and a sort. A hinted index is used as given. */
export function plan(collection: Collection, filter: Doc, sort: Sort, hint?: Index): Plan {
  const natural = sort[0]?.[0] === '$natural' ? sort[0][1] : 0;
  let best: Plan = {
    ranges: [{ start: prefix(collection.id), end: prefix(collection.id + 1) }],
    reverse: natural < 0,
    sorted: !sort.length || natural !== 0,
    covered: !Object.keys(filter).length,
  };
  if (natural) return best;
  let bestScore = 0;
  for (const index of hint ? [hint] : collection.indexes) {
    const conditions = conditionsOf(filter);
    if (!hint && !complete(index, filter, conditions)) continue;
    const reach = branches(index, filter, conditions) ?? reachOf(index, filter, conditions);
    const direction = reach.many || index.multikey ? 0 : sortDirection(index, conditions, sort);
    const sorted = !sort.length || direction !== 0;
    const one = index.unique && reach.equal === index.fields.length;
    const score = reach.equal * 4 + (reach.bounded ? 2 : 0) + (sort.length && sorted ? 3 : 0) + (one ? 4 : 0);
    if (score <= bestScore && !hint) continue;
    best = { index, ranges: reach.ranges, reverse: direction < 0, sorted, covered: reach.covered };
    bestScore = score;
  }
  return best;
}

/** An `$or` whose branches all bound the same index becomes one scan over the union of their ranges. */
function branches(index: Index, filter: Doc, outer: Conditions): Reach | undefined {
  const { $or, ...rest } = filter;
  if (!Array.isArray($or) || $or.length > 100 || !$or.every(isDocument)) return undefined;
  const reaches = $or.map((branch) => {
    const both = Object.keys(branch).some((name) => name in rest) ? { $and: [rest, branch] } : { ...rest, ...branch };
    return reachOf(index, both, conditionsOf(both));
  });
  const alone = reachOf(index, rest, outer);
  if (!reaches.every((reach) => reach.equal > alone.equal || reach.bounded)) return undefined;
  const ranges: Range[] = [];
  for (const range of ordered(reaches.flatMap((reach) => reach.ranges))) {
    const last = ranges.at(-1);
    if (!last || Buffer.compare(last.end, range.start) <= 0) ranges.push(range);
    else if (Buffer.compare(last.end, range.end) < 0) ranges[ranges.length - 1] = { start: last.start, end: range.end };
  }
  return { ...alone, ranges, bounded: true, covered: reaches.every(({ covered }) => covered) };
}

const ordered = (ranges: Range[]): Range[] => ranges.sort((a, b) => Buffer.compare(a.start, b.start));

/** How far an index narrows a filter. */
function reachOf(index: Index, filter: Doc, conditions: Conditions): Reach {
  // The entries of a multikey index belong to single elements: different elements may meet the two conditions.
  const apart = new Set(index.fields.map(({ parts }) => parts[0])).size === index.fields.length;
  const usable = index.multikey && !apart ? 1 : index.fields.length;
  let starts: Buffer[] = [prefix(index.id)];
  let equal = 0;
  let many = false;
  for (const { path, descending } of index.fields.slice(0, usable)) {
    const values = conditions.get(path)?.values;
    if (!values || starts.length * values.length > 1000) break;
    const next = values.map((value) => sortable(value, descending));
    starts = starts.flatMap((start) => next.map((bytes) => Buffer.concat([start, bytes])));
    many ||= values.length > 1;
    equal++;
  }
  const field = equal < usable ? index.fields[equal]! : undefined;
  const bounds = field && interval(conditions.get(field.path), field.descending, index.multikey);
  const ranges = starts.map((start) => {
    if (bounds) return bounds(start);
    return equal ? exactly(start) : { start, end: prefix(index.id + 1) };
  });
  const used = index.fields.slice(0, equal + (bounds ? 1 : 0)).map(({ path }) => path);
  const once = ordered(ranges).filter(({ start }, i) => !i || !ranges[i - 1]!.start.equals(start));
  return { ranges: once, equal, many, bounded: !!bounds, covered: !index.multikey && saysAll(filter, used) };
}

const after = (bytes: Buffer, byte: number): Buffer => Buffer.concat([bytes, Buffer.from([byte])]);
/** After a complete value comes a rank, an inverted rank or a record id: 1 to 254. */
const exactly = (bytes: Buffer): Range => ({ start: after(bytes, 1), end: after(bytes, 255) });

function interval(condition: Condition | undefined, descending: boolean, multikey: boolean) {
  let { low, high } = condition ?? {};
  if (!low && !high) return undefined;
  // Different elements may meet the two bounds of a multikey field, so only one of them bounds the scan.
  if (low && high && (multikey || rankOf(low.value) !== rankOf(high.value))) high = undefined;
  const type = rankOf((low ?? high)!.value);
  const edge = descending ? 255 - type : type;
  if (descending) [low, high] = [high, low];
  const from = low && after(sortable(low.value, descending), low.inclusive ? 1 : 255);
  const to = high && after(sortable(high.value, descending), high.inclusive ? 255 : 1);
  return (start: Buffer): Range => ({
    start: from ? Buffer.concat([start, from]) : after(start, edge),
    end: to ? Buffer.concat([start, to]) : after(start, edge + 1),
  });
}

/** 1 or -1 if walking the index forward or backward yields the sort order, else 0. */
function sortDirection(index: Index, conditions: Conditions, sort: Sort): number {
  const fixed = (path: string): boolean => conditions.get(path)?.values?.length === 1;
  const equal = index.fields.findIndex(({ path }) => !fixed(path));
  const leading = (equal < 0 ? index.fields : index.fields.slice(0, equal)).map(({ path }) => path);
  const wanted = sort.filter(([path]) => !leading.includes(path));
  if (!wanted.length) return sort.length ? 1 : 0;
  let direction = 0;
  for (const [i, [path, order]] of wanted.entries()) {
    const field = index.fields[leading.length + i];
    if (field?.path !== path) return 0;
    const here = order < 0 === field.descending ? 1 : -1;
    if (direction && here !== direction) return 0;
    direction = here;
  }
  return direction;
}

/** Whether an index contains every document that the filter can match. */
function complete(index: Index, filter: Doc, conditions: Conditions): boolean {
  if (index.sparse && !index.fields.some(({ path }) => excludesMissing(conditions.get(path)))) return false;
  const needed: Doc | undefined = index.spec.partialFilterExpression;
  return (
    !needed || Object.entries(needed).every(([path, wanted]) => implied(wanted, filter[path], conditions.get(path)))
  );
}

function implied(wanted: unknown, given: unknown, condition: Condition = {}): boolean {
  const { values } = condition;
  if (given !== undefined && compare(given, wanted) === 0) return true;
  if (!isOperators(wanted)) return values?.length === 1 && compare(values[0], wanted) === 0;
  return Object.entries(wanted).every(([name, value]) => {
    if (name === '$exists') return value === true && excludesMissing(condition);
    if (name === '$eq') return values?.length === 1 && compare(values[0], value) === 0;
    return name === '$type' && value === 'string' && !!values?.every((item) => typeof item === 'string');
  });
}
