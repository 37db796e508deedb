import { Doc, isDocument, isNumber } from './bson.js';
import { CommandError } from './errors.js';
import { compare } from './order.js';
import { sortKey } from './paths.js';
import { Sort, sortOf } from './plan.js';
import { countOf } from './operators/arrays.js';
import { merged } from './operators/objects.js';
import { Builder, Environment, Expression, Operator, parts } from './operators/operator.js';
import { Total, double, isNullish, keyOf, weigh } from './values.js';

/** Takes the documents of one group, one after the other. */
export interface Accumulator {
  /** Gives how many bytes it holds more, or, below 0, less. */
  add(env: Environment): number;
  result(): unknown;
}

/** Compiles what stands behind an accumulator's name; what that gives makes one for each group. */
type Compile = (argument: any, build: Builder, name: string) => (env: Environment) => Accumulator;

/** An accumulator of one value of each document. */
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
      const more = weigh(value) - (best === undefined ? 0 : weigh(best));
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
      return weigh(value);
    },
    result: () => found?.value ?? null,
  };
}

function last() {
  let found: unknown;
  return {
    add: (value: unknown) => {
      const more = weigh(value) - weigh(found);
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
      return 8 + weigh(value);
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
      return 64 + 2 * key.length + weigh(value);
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
      return weigh(value);
    },
    result: () => result,
  };
}

/** A row of what is to be kept: `keys` decide, in the order of `sort`. */
interface Row {
  keys: unknown[];
  value: unknown;
}

const ordered =
  (sort: Sort, sign = 1) =>
  (a: Row, b: Row): number => {
    for (const [i, [, direction]] of sort.entries()) {
      const here = compare(a.keys[i], b.keys[i]) * direction * sign;
      if (here) return here;
    }
    return 0;
  };

/** The first or the last of a group's documents, as they came or in an order of their own. */
const some =
  (end: 'first' | 'last', how: { sorted?: boolean; one?: boolean }): Compile =>
  (argument, build, name) => {
    const value = how.sorted ? 'output' : 'input';
    const given = parts(argument, name, [value, ...(how.sorted ? ['sortBy'] : []), ...(how.one ? [] : ['n'])]);
    const sort = how.sorted ? sortOf(given.sortBy) : [];
    const paths = sort.map(([path]) => path.split('.'));
    const output = build(given[value]);
    const n: Expression = how.one ? () => 1 : build(given.n);
    return (group) => {
      const count = countOf(n(group), name);
      let rows: Row[] = [];
      const cut = (): void => {
        rows.sort(ordered(sort));
        rows = end === 'first' ? rows.slice(0, count) : rows.slice(-count);
      };
      return {
        add(env) {
          const keys = paths.map((path, i) => sortKey(env.root, path, sort[i]![1] < 0));
          const row = { keys, value: output(env) ?? null };
          rows.push(row);
          const more = 64 + weigh(keys) + weigh(row.value);
          if (rows.length < 2 * count + 16) return more;
          const before = rows;
          cut();
          const kept = new Set(rows);
          return before.reduce(
            (held, one) => (kept.has(one) ? held : held - 64 - weigh(one.keys) - weigh(one.value)),
            more,
          );
        },
        result() {
          cut();
          return how.one ? rows[0]!.value : rows.map((row) => row.value);
        },
      };
    };
  };

/** The least or the greatest values, nulls left out. */
const extremes =
  (sign: number): Compile =>
  (argument, build, name) => {
    const given = parts(argument, name, ['input', 'n']);
    const input = build(given.input);
    const n = build(given.n);
    return (group) => {
      const count = countOf(n(group), name);
      let values: unknown[] = [];
      const cut = (): unknown[] => (values = values.sort((a, b) => compare(a, b) * sign).slice(0, count));
      return {
        add(env) {
          const value = input(env);
          if (isNullish(value)) return 0;
          values.push(value);
          if (values.length < 2 * count + 16) return 8 + weigh(value);
          const before = weigh(values);
          return weigh(cut()) - before;
        },
        result: cut,
      };
    };
  };

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

/** Every accumulator of `$group` and `$bucket` there is; any other is refused by name. */
export const accumulators: Record<string, Compile> = {
  $addToSet: of(set),
  $avg: of(average),
  $bottom: some('last', { sorted: true, one: true }),
  $bottomN: some('last', { sorted: true }),
  $count: counted,
  $first: of(first),
  $firstN: some('first', {}),
  $last: of(last),
  $lastN: some('last', {}),
  $max: of(extreme(-1)),
  $maxN: extremes(-1),
  $mergeObjects: of(objects),
  $min: of(extreme(1)),
  $minN: extremes(1),
  $push: of(push),
  $sum: of(sum),
  $top: some('first', { sorted: true, one: true }),
  $topN: some('first', { sorted: true }),
};

/** As an operator of expressions: over several arguments, or over the elements of the only one. */
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

/** The operators of expressions that are accumulators too. */
export const summaries: Record<string, Operator> = {
  $avg: summary(average),
  $max: summary(extreme(-1)),
  $min: summary(extreme(1)),
  $sum: summary(sum),
};
