import { CommandError } from '../wire/errors.js';
import { compareValues, isNullish, isTrue } from '../values/values.js';
import { Operator, arrayOf, fixed, intOf, nullable, parts, unary, variadic } from './operator.js';

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

function slice([list, first, second]: any[], name: string): unknown[] {
  const items = arrayOf(list, name, 28724);
  const from = intOf(first, name, 28725);
  if (second === undefined) return from < 0 ? items.slice(from) : items.slice(0, from);
  const count = intOf(second, name, 28727);
  if (count <= 0) throw new CommandError(28729, 'Third argument to $slice must be positive');
  const start = from < 0 ? Math.max(items.length + from, 0) : from;
  return items.slice(start, start + count);
}

export const arrays: Record<string, Operator> = {
  $arrayElemAt: nullable(2, 2, elementAt),
  $concatArrays: variadic((lists, name) =>
    lists.some(isNullish) ? null : lists.flatMap((list) => arrayOf(list, name, 28664)),
  ),
  $filter: over('cond', ['limit'], 28651, filtered),
  $first: end(true),
  $in: fixed(2, 2, ([value, list], name) =>
    arrayOf(list, name, 40081).some((item) => compareValues(item, value) === 0),
  ),
  $isArray: unary(Array.isArray),
  $last: end(false),
  $map: over('in', [], 16883, (items, each) => items.map((item) => each(item) ?? null)),
  $size: unary((list, name) => arrayOf(list, name, 17124).length),
  $slice: nullable(2, 3, slice),
};
