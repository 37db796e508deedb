import { Doc, isDocument, isNumber } from '../values/bson.js';
import { CommandError } from '../wire/errors.js';
import { isNullish, typeOf } from '../values/values.js';
import { Operator, unary } from './operator.js';

/** Adds the fields of the second to the first, overwriting existing ones. */
export function merged(into: Doc, value: unknown): Doc {
  if (isNullish(value)) return into;
  if (!isDocument(value))
    throw new CommandError(40400, `$mergeObjects requires object inputs, but input is of type ${typeOf(value)}`);
  return Object.fromEntries([...Object.entries(into), ...Object.entries(value)]);
}

export const objects: Record<string, Operator> = {
  $mergeObjects: (argument, build) => {
    const values = [argument].flat().map((item) => build(item));
    return (env) => values.reduce((result: Doc, value) => merged(result, value(env)), {});
  },
  $isNumber: unary(isNumber),
  $type: unary(typeOf),
};
