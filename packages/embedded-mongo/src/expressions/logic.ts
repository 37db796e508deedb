import { isDocument } from '../values/bson.js';
import { CommandError } from '../wire/errors.js';
import { compareValues, isNullish, isTrue } from '../values/values.js';
import { Expression, Operator, fixed, parts, unary } from './operator.js';

const comparison = (holds: (order: number) => boolean): Operator => fixed(2, 2, ([a, b]) => holds(compareValues(a, b)));

/** Stops at the first value that decides the result. */
const joined =
  (decisive: boolean): Operator =>
  (argument, build) => {
    const values = [argument].flat().map((item) => build(item));
    return (env) => values.some((value) => isTrue(value(env)) === decisive) === decisive;
  };

const condition: Operator = (argument, build, name) => {
  const list = isDocument(argument) ? parts(argument, name, ['if', 'then', 'else']) : undefined;
  const given = list ? [list.if, list.then, list.else] : argument;
  if (!Array.isArray(given) || given.length !== 3)
    throw new CommandError(16020, 'Expression $cond takes exactly 3 arguments.');
  const [test, yes, no] = given.map((item) => build(item)) as [Expression, Expression, Expression];
  return (env) => (isTrue(test(env)) ? yes(env) : no(env));
};

const firstThere: Operator = (argument, build) => {
  if (!Array.isArray(argument) || argument.length < 2)
    throw new CommandError(1257300, '$ifNull needs at least two arguments');
  const values = argument.map((item) => build(item));
  const last = values.at(-1)!;
  return (env) => {
    for (const value of values) {
      const found = value(env);
      if (value === last || !isNullish(found)) return found;
    }
  };
};

const branches: Operator = (argument, build, name) => {
  const given = parts(argument, name, ['branches'], ['default']);
  if (!Array.isArray(given.branches) || !given.branches.length)
    throw new CommandError(40068, '$switch requires at least one branch');
  const list = given.branches.map((branch: unknown) => {
    const { case: when, then } = parts(branch, name, ['case', 'then']);
    return [build(when), build(then)] as const;
  });
  const otherwise = given.default === undefined ? undefined : build(given.default);
  return (env) => {
    for (const [when, then] of list) if (isTrue(when(env))) return then(env);
    if (otherwise) return otherwise(env);
    throw new CommandError(
      40066,
      '$switch could not find a matching branch for an input, and no default was specified.',
    );
  };
};

const bound: Operator = (argument, build, name) => {
  const given = parts(argument, name, ['vars', 'in']);
  if (!isDocument(given.vars)) throw new CommandError(16876, 'invalid parameter: expected an object (vars)');
  const values = Object.entries(given.vars).map(([variable, value]) => [variable, build(value)] as const);
  const inner = build(given.in, Object.keys(given.vars));
  return (env) => {
    const variables = Object.fromEntries(values.map(([variable, value]) => [variable, value(env)]));
    return inner({ ...env, variables: { ...env.variables, ...variables } });
  };
};

export const logic: Record<string, Operator> = {
  $and: joined(false),
  $or: joined(true),
  $not: unary((value) => !isTrue(value)),
  $cmp: fixed(2, 2, ([a, b]) => Math.sign(compareValues(a, b))),
  $eq: comparison((order) => order === 0),
  $ne: comparison((order) => order !== 0),
  $gt: comparison((order) => order > 0),
  $gte: comparison((order) => order >= 0),
  $lt: comparison((order) => order < 0),
  $lte: comparison((order) => order <= 0),
  $cond: condition,
  $ifNull: firstThere,
  $switch: branches,
  $let: bound,
  $literal: (argument) => () => argument,
};
