import { Doc, isDocument, isNumber, toNumber } from '../values/bson.js';
import { CommandError } from '../wire/errors.js';
import { isNullish, typeOf } from '../values/values.js';

/** The scope in which an expression is evaluated. */
export interface EvaluationContext {
  root: Doc;
  variables: Doc;
}

/** A compiled expression. A missing value is undefined. */
export type Expression = (env: EvaluationContext) => any;

/** Compiles an inner expression, which may use the named variables. */
export type Builder = (inner: unknown, names?: string[]) => Expression;

/** Compiles an operator's argument. */
export type Operator = (argument: any, build: Builder, name: string) => Expression;

const listed = (argument: unknown): unknown[] => (Array.isArray(argument) ? argument : [argument]);

/** An operator with a fixed range of argument counts. A single argument may be given without an array. */
export function fixed(least: number, most: number, run: (values: any[], name: string) => unknown): Operator {
  return (argument, build, name) => {
    const given = listed(argument);
    if (given.length < least || given.length > most) {
      const wanted = least === most ? `exactly ${least}` : `at least ${least} and at most ${most}`;
      throw new CommandError(16020, `Expression ${name} takes ${wanted} arguments. ${given.length} were passed in.`);
    }
    const values = given.map((item) => build(item));
    return (env) =>
      run(
        values.map((value) => value(env)),
        name,
      );
  };
}

export const variadic = (run: (values: any[], name: string) => unknown): Operator => fixed(0, Infinity, run);
export const unary = (run: (value: any, name: string) => unknown): Operator =>
  fixed(1, 1, ([value], name) => run(value, name));

/** Like `fixed`, but null if any argument is null or missing. */
export const nullable = (least: number, most: number, run: (values: any[], name: string) => unknown): Operator =>
  fixed(least, most, (values, name) => (values.some(isNullish) ? null : run(values, name)));

/**
 * The parts of an argument that is an object with named parts.
 * @throws CommandError 9 if one is missing or unknown.
 */
export function parts(argument: unknown, name: string, required: string[], optional: string[] = []): Doc {
  if (!isDocument(argument)) throw new CommandError('FailedToParse', `${name} only supports an object as its argument`);
  const missing = required.find((part) => argument[part] === undefined);
  if (missing) throw new CommandError('FailedToParse', `Missing '${missing}' parameter to ${name}`);
  const other = Object.keys(argument).find((part) => !required.includes(part) && !optional.includes(part));
  if (other) throw new CommandError('FailedToParse', `${name} found an unknown argument: ${other}`);
  return argument;
}

/** @throws CommandError with this code if the value is not an array. */
export function arrayOf(value: unknown, name: string, code: number): unknown[] {
  if (Array.isArray(value)) return value;
  throw new CommandError(code, `${name} needs an array, found ${typeOf(value)}`);
}

/** @throws CommandError with this code if the value is not a string. */
export function textOf(value: unknown, name: string, code: number): string {
  if (typeof value === 'string') return value;
  throw new CommandError(code, `${name} needs a string, found ${typeOf(value)}`);
}

/** @throws CommandError with this code if the value is not a 32-bit integer. */
export function intOf(value: unknown, name: string, code: number): number {
  const number = isNumber(value) ? toNumber(value) : NaN;
  if ((number | 0) === number) return number;
  throw new CommandError(code, `${name} needs a 32-bit integer, found ${typeOf(value)}`);
}
