import { Doc, isDocument, isNumber } from '../values/bson.js';
import { CommandError } from '../wire/errors.js';
import { compare } from '../values/order.js';
import { merged } from '../expressions/objects.js';
import type { Builder, EvaluationContext, Operator } from '../expressions/operator.js';
import { Total, double, isNullish, keyOf, heapSizeOf } from '../values/values.js';

/** Consumes the documents of one group, one at a time. */
export interface Accumulator {
  /** Returns by how many bytes its memory use grew (or, if negative, shrank). */
  add(env: EvaluationContext): number;
  result(): unknown;
}

/** Compiles an accumulator's argument. Call the result to create an accumulator for each group. */
type Compile = (argument: any, build: Builder, name: string) => () => Accumulator;

/** An accumulator that evaluates one expression per document. */
const of =
  (make: (name: string) => { add(value: unknown): number | void; result(): unknown }): Compile =>
  (argument, build, name) => {
    if (Array.isArray(argument)) throw new CommandError(40237, `The ${name} accumulator is a unary operator`);
    const value = build(argument);
    return () => {
      const state = make(name);
      return { add: (env) => state.add(value(env)) ?? 0, result: () => state.result() };
    };
  };

function sum(name: string) {
  const total = new Total(name);
  return {
    add: (value: unknown) => {
      if (isNumber(value)) total.add(value);
    },
    result: () => total.value,
  };
}

function average(name: string) {
  const total = new Total(name);
  return {
    add: (value: unknown) => {
      if (isNumber(value)) total.add(value);
    },
    result: () => (total.count ? double(total.number / total.count) : null),
  };
}

const extreme = (sign: number) => () => {
  let best: unknown;
  return {
    add: (value: unknown) => {
      if (isNullish(value) || (best !== undefined && compare(value, best) * sign >= 0)) return 0;
      const more = heapSizeOf(value) - (best === undefined ? 0 : heapSizeOf(best));
      best = value;
      return more;
    },
    result: () => best ?? null,
  };
};

function first() {
  let found: { value: unknown } | undefined;
  return {
    add: (value: unknown) => {
      if (found) return 0;
      found = { value };
      return heapSizeOf(value);
    },
    result: () => found?.value ?? null,
  };
}

function last() {
  let found: unknown;
  return {
    add: (value: unknown) => {
      const more = heapSizeOf(value) - heapSizeOf(found);
      found = value;
      return more;
    },
    result: () => found ?? null,
  };
}

function push() {
  const list: unknown[] = [];
  return {
    add: (value: unknown) => {
      if (value === undefined) return 0;
      list.push(value);
      return 8 + heapSizeOf(value);
    },
    result: () => list,
  };
}

function set() {
  const found = new Map<string, unknown>();
  return {
    add: (value: unknown) => {
      if (value === undefined) return 0;
      const key = keyOf(value);
      if (found.has(key)) return 0;
      found.set(key, value);
      return 64 + 2 * key.length + heapSizeOf(value);
    },
    result: () => [...found.values()],
  };
}

function objects() {
  let result: Doc = {};
  return {
    add: (value: unknown) => {
      if (isNullish(value)) return 0;
      result = merged(result, value);
      return heapSizeOf(value);
    },
    result: () => result,
  };
}

const counted: Compile = (argument, _, name) => {
  if (!isDocument(argument) || Object.keys(argument).length)
    throw new CommandError(15952, `${name} takes no arguments, i.e. $count:{}`);
  return () => {
    const total = new Total(name);
    return {
      add: () => {
        total.add(1);
        return 0;
      },
      result: () => total.value,
    };
  };
};

/** All supported accumulators of `$group`. Any other is rejected by name. */
export const accumulators: Record<string, Compile> = {
  $addToSet: of(set),
  $avg: of(average),
  $count: counted,
  $first: of(first),
  $last: of(last),
  $max: of(extreme(-1)),
  $mergeObjects: of(objects),
  $min: of(extreme(1)),
  $push: of(push),
  $sum: of(sum),
};

/** The expression form: over several arguments, or over the elements of a single array argument. */
const summary =
  (make: (name: string) => { add(value: unknown): unknown; result(): unknown }): Operator =>
  (argument, build, name) => {
    const values = (Array.isArray(argument) ? argument : [argument]).map((item) => build(item));
    return (env) => {
      const state = make(name);
      const found = values.map((value) => value(env));
      for (const value of found.length === 1 && Array.isArray(found[0]) ? found[0] : found) state.add(value);
      return state.result();
    };
  };

/** Expression operators that are also accumulators. */
export const summaries: Record<string, Operator> = {
  $avg: summary(average),
  $max: summary(extreme(-1)),
  $min: summary(extreme(1)),
  $sum: summary(sum),
};
