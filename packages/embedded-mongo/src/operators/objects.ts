import { Doc, isDocument } from '../bson.js';
import { CommandError } from '../errors.js';
import { isNullish, typeOf } from '../values.js';
import { Operator, named, parts, textOf, unary } from './operator.js';

/** Adds the fields of the second to the first, overwriting existing ones. */
export function merged(into: Doc, value: unknown): Doc {
  if (isNullish(value)) return into;
  if (!isDocument(value))
    throw new CommandError(40400, `$mergeObjects requires object inputs, but input is of type ${typeOf(value)}`);
  return Object.fromEntries([...Object.entries(into), ...Object.entries(value)]);
}

const field: Operator = (argument, build, name) => {
  const whole = isDocument(argument) && 'field' in argument;
  const given = whole ? parts(argument, name, ['field', 'input']) : { field: argument, input: '$$CURRENT' };
  return named(['field', 'input'], [], (values) => {
    const wanted = textOf(values.field, name, 3041704);
    if (isDocument(values.input)) return Object.hasOwn(values.input, wanted) ? values.input[wanted] : undefined;
    return values.input === undefined ? undefined : isNullish(values.input) ? null : undefined;
  })(given, build, name);
};

function without(input: unknown, name: string, unwanted: string): [string, unknown][] | null {
  if (isNullish(input)) return null;
  if (!isDocument(input)) throw new CommandError(4161105, `${name} requires 'input' to evaluate to type Object`);
  return Object.entries(input).filter(([key]) => key !== unwanted);
}

export const objects: Record<string, Operator> = {
  $getField: field,
  $mergeObjects: (argument, build) => {
    const values = [argument].flat().map((item) => build(item));
    return (env) => values.reduce((result: Doc, value) => merged(result, value(env)), {});
  },
  $objectToArray: unary((value) => {
    if (isNullish(value)) return null;
    if (!isDocument(value))
      throw new CommandError(40390, `$objectToArray requires a document input, found: ${typeOf(value)}`);
    return Object.entries(value).map(([k, v]) => ({ k, v }));
  }),
  $setField: named(['field', 'input', 'value'], [], ({ field: wanted, input, value }, name) => {
    const key = textOf(wanted, name, 4161107);
    if (value === undefined) {
      const rest = without(input, name, key);
      return rest && Object.fromEntries(rest);
    }
    without(input, name, key);
    return isNullish(input) ? null : Object.fromEntries([...Object.entries(input), [key, value]]);
  }),
  $unsetField: named(['field', 'input'], [], ({ field: wanted, input }, name) => {
    const rest = without(input, name, textOf(wanted, name, 4161107));
    return rest && Object.fromEntries(rest);
  }),
};
