import { Doc, Long, isDocument } from '../values/bson.js';
import { Computed, compute, withComputed } from './computed.js';
import { CommandError } from '../wire/errors.js';
import type { Maker } from './flow.js';
import { LATER } from '../server/slice.js';

/** One document for each element of an array. */
export const unwind: Maker = (argument) => {
  const given = isDocument(argument) ? argument : { path: argument };
  const { path, includeArrayIndex: at, preserveNullAndEmptyArrays: preserve = false, ...unknown } = given;
  const [other] = Object.keys(unknown);
  if (other) throw new CommandError(28811, `unrecognized option to $unwind stage: ${other}`);
  if (typeof path !== 'string') throw new CommandError(28808, 'expected a string as the path for $unwind stage');
  if (!/^\$[^$]/.test(path))
    throw new CommandError(28818, "path option to $unwind stage should be prefixed with a '$'");
  if (typeof preserve !== 'boolean')
    throw new CommandError(28809, 'expected a boolean for the preserveNullAndEmptyArrays option to $unwind stage');
  if (at !== undefined && (typeof at !== 'string' || !at || at.startsWith('$')))
    throw new CommandError(28810, 'expected a non-empty string that is not a path for the includeArrayIndex option');
  const parts = path.slice(1).split('.');
  const setter = (name: string): ((doc: Doc, value: unknown) => Doc) => {
    const tree: Computed = new Map();
    let value: unknown;
    compute(tree, name, () => value);
    return (doc, next) => {
      value = next;
      return withComputed(doc, tree, { root: doc, variables: {} });
    };
  };
  const put = setter(parts.join('.'));
  const number = at === undefined ? undefined : setter(at);
  return function* (input, context) {
    for (const doc of input) {
      if (doc === LATER) {
        yield LATER;
        continue;
      }
      const value = parts.reduce<any>(
        (inner, part) => (isDocument(inner) && Object.hasOwn(inner, part) ? inner[part] : undefined),
        doc,
      );
      if (Array.isArray(value) && value.length) {
        for (const [i, item] of value.entries()) {
          const one = put(doc, item);
          yield number ? number(one, Long.fromNumber(i)) : one;
          if (context.due()) yield LATER;
        }
        continue;
      }
      const missing = value === undefined || value === null || Array.isArray(value);
      if (missing && !preserve) continue;
      const one = Array.isArray(value) ? put(doc, undefined) : doc;
      yield number ? number(one, null) : one;
    }
  };
};
