import { countOf } from './operators/arrays.js';
import { Builder, EvaluationContext, Expression, parts } from './operators/operator.js';
import { compare } from './order.js';
import { sortKey } from './paths.js';
import { byKeys, sortOf } from './sort.js';
import { isNullish, heapSizeOf } from './values.js';

/** Consumes the documents of one group, one at a time. */
export interface Accumulator {
  /** Returns by how many bytes its memory use grew (or, if negative, shrank). */
  add(env: EvaluationContext): number;
  result(): unknown;
}

/** Compiles an accumulator's argument. Call the result to create an accumulator for each group. */
export type Compile = (argument: any, build: Builder, name: string) => (env: EvaluationContext) => Accumulator;

/** A row to keep: `keys` decide, in the order of `sort`. */
interface Row {
  keys: unknown[];
  value: unknown;
}

/** The first or last documents of a group, in input order or in an order of their own. */
export const some =
  (end: 'first' | 'last', how: { sorted?: boolean; one?: boolean }): Compile =>
  (argument, build, name) => {
    const value = how.sorted ? 'output' : 'input';
    const given = parts(argument, name, [value, ...(how.sorted ? ['sortBy'] : []), ...(how.one ? [] : ['n'])]);
    const sort = how.sorted ? sortOf(given.sortBy) : [];
    const order = byKeys(sort);
    const paths = sort.map(([path]) => path.split('.'));
    const output = build(given[value]);
    const n: Expression = how.one ? () => 1 : build(given.n);
    return (group) => {
      const count = countOf(n(group), name);
      let rows: Row[] = [];
      const cut = (): void => {
        rows.sort((a, b) => order(a.keys, b.keys));
        rows = end === 'first' ? rows.slice(0, count) : rows.slice(-count);
      };
      return {
        add(env) {
          const keys = paths.map((path, i) => sortKey(env.root, path, sort[i]![1] < 0));
          const row = { keys, value: output(env) ?? null };
          rows.push(row);
          const more = 64 + heapSizeOf(keys) + heapSizeOf(row.value);
          if (rows.length < 2 * count + 16) return more;
          const before = rows;
          cut();
          const kept = new Set(rows);
          return before.reduce(
            (held, one) => (kept.has(one) ? held : held - 64 - heapSizeOf(one.keys) - heapSizeOf(one.value)),
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

/** The smallest or greatest values, without nulls. */
export const extremes =
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
          if (values.length < 2 * count + 16) return 8 + heapSizeOf(value);
          const before = heapSizeOf(values);
          return heapSizeOf(cut()) - before;
        },
        result: cut,
      };
    };
  };
