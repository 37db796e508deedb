import { Doc, isDocument } from './bson.js';
import { CommandError } from '../wire/errors.js';
import { EMPTY, compare } from './order.js';

const own = (value: any, key: string): unknown => (Object.hasOwn(value, key) ? value[key] : undefined);
export const isIndex = (part: string): boolean => /^(0|[1-9]\d{0,8})$/.test(part);

/**
 * Whether `test` holds for any value that the path reaches. Descends into arrays along the path, as MongoDB does.
 * A path that does not exist reaches `undefined`.
 */
export function some(doc: unknown, parts: string[], test: (value: unknown) => boolean, from = 0): boolean {
  const value = own(doc, parts[from]!);
  const next = from + 1;
  if (next === parts.length) return test(value);
  if (isDocument(value)) return some(value, parts, test, next);
  if (!Array.isArray(value)) return test(undefined);
  const item: unknown = isIndex(parts[next]!) ? value[Number(parts[next])] : undefined;
  const onwards = next + 1 === parts.length || typeof item === 'object';
  if (item !== undefined && onwards && some(value, parts, test, next)) return true;
  return value.some((item) => isDocument(item) && some(item, parts, test, next));
}

interface Step {
  at: unknown;
  parts: string[];
}

/**
 * The keys of a document in an index on these paths: one, or one for each element of an array.
 * @throws CommandError 171 if two of the paths cross different arrays.
 */
export function indexKeys(doc: Doc, paths: string[][]): unknown[][] {
  return expand(paths.map((parts) => ({ at: doc, parts })));
}

function expand(steps: Step[]): unknown[][] {
  let array: unknown[] | undefined;
  const here = steps.map((step) => {
    const end = descend(step);
    if (Array.isArray(end.at) && end.parts !== leaf) {
      if (array && array !== end.at)
        throw new CommandError('CannotIndexParallelArrays', 'cannot index parallel arrays');
      array = end.at;
    }
    return end;
  });
  if (!array) return [here.map((step) => step.at)];
  const keys: unknown[][] = [];
  for (const item of array.length ? array : [EMPTY]) {
    keys.push(
      ...expand(
        here.map((step) => {
          if (step.at !== array || step.parts === leaf) return step;
          if (!step.parts.length) return { at: item, parts: leaf };
          return { at: isDocument(item) ? item : undefined, parts: step.parts };
        }),
      ),
    );
  }
  return keys;
}

/** Marks a value taken out of an array. An array within that is not descended into. */
const leaf: string[] = [];

function descend({ at, parts }: Step): Step {
  if (parts === leaf) return { at, parts };
  let i = 0;
  while (i < parts.length) {
    if (Array.isArray(at) && !isIndex(parts[i]!)) break;
    if (!Array.isArray(at) && !isDocument(at)) return { at: undefined, parts: leaf };
    at = own(at, parts[i++]!);
  }
  return { at, parts: parts.slice(i) };
}

/** The sort key of a document: the smallest element of an array if ascending, the greatest if descending. */
export function sortKey(doc: Doc, parts: string[], descending: boolean): unknown {
  const keys = indexKeys(doc, [parts]);
  let best = keys[0]![0];
  for (const [key] of keys) if (compare(key, best) * (descending ? -1 : 1) < 0) best = key;
  return best;
}
