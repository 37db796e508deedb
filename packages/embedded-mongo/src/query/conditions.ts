import { BSONRegExp, Doc } from '../values/bson.js';
import { isOperators } from './predicates.js';
import { compare, rank, rankOf } from '../values/order.js';

interface Bound {
  value: unknown;
  inclusive: boolean;
}

/** What a filter requires of one path: a set of values (an equality has one), or an interval within a type. */
export interface Condition {
  values?: unknown[];
  low?: Bound;
  high?: Bound;
}

export type Conditions = Map<string, Condition>;

const BOUNDS = ['$gt', '$gte', '$lt', '$lte'];
/** An index has no key for a whole array, and a regular expression is not a value. */
const hasKey = (value: unknown): boolean =>
  !Array.isArray(value) && !(value instanceof BSONRegExp) && value !== undefined;
/** Null also matches a missing field, MinKey and MaxKey compare with all types, and NaN equals nothing. */
const exact = (value: unknown): boolean =>
  hasKey(value) && ![rank.null, rank.min, rank.max].includes(rankOf(value)) && value === value;

/** Conditions that every match meets, as far as an index can use them. */
export function conditionsOf(filter: Doc): Conditions {
  const found: Conditions = new Map();
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
    } else if (!path.startsWith('$')) narrow(path, conditionOf(value));
  }
  return found;
}

function conditionOf(value: unknown): Condition {
  if (!isOperators(value)) return hasKey(value) ? { values: [value] } : {};
  const condition: Condition = {};
  for (const [name, item] of Object.entries(value)) {
    if (name === '$eq' && hasKey(item)) condition.values = [item];
    else if (name === '$in' && Array.isArray(item) && item.every(hasKey)) condition.values = item;
    else if (BOUNDS.includes(name) && exact(item)) {
      const end = name.startsWith('$g') ? 'low' : 'high';
      const bound = { value: item, inclusive: name.endsWith('e') };
      condition[end] = tighter(condition[end], bound, end === 'low' ? 1 : -1);
    }
  }
  return condition;
}

function tighter(a: Bound | undefined, b: Bound | undefined, sign: number): Bound | undefined {
  if (!a || !b) return a ?? b;
  const order = compare(a.value, b.value) * sign;
  if (order) return order > 0 ? a : b;
  return a.inclusive ? b : a;
}

/** Whether the conditions on these paths express the whole filter. */
export function saysAll(filter: Doc, paths: string[]): boolean {
  return Object.entries(filter).every(([path, value]) => {
    if (!paths.includes(path)) return false;
    if (!isOperators(value)) return exact(value);
    const operators = Object.entries(value);
    const [first, second] = operators as [[string, unknown], [string, unknown] | undefined];
    if (operators.length === 1 && first[0] === '$eq') return exact(first[1]);
    if (operators.length === 1 && first[0] === '$in') return Array.isArray(first[1]) && first[1].every(exact);
    if (operators.length > 2 || !operators.every(([name, item]) => BOUNDS.includes(name) && exact(item))) return false;
    // Two bounds, both of one type.
    return !second || (first[0][1] !== second[0][1] && rankOf(first[1]) === rankOf(second[1]));
  });
}

/** Whether a document that lacks the path, or has null there, cannot match. */
export function excludesMissing({ values, low, high }: Condition = {}): boolean {
  return values ? values.every((value) => rankOf(value) !== rank.null) : low !== undefined || high !== undefined;
}
