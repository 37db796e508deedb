import { Doc } from '../values/bson.js';
import { CommandError } from '../wire/errors.js';
import { matcher } from '../query/match.js';
import { isIndex } from '../values/paths.js';
import { Test } from '../query/predicates.js';
import { position } from '../query/project.js';

/** `$`, `$[]` and `$[name]`, and the fields of DBRefs. */
const DOLLAR = /^\$(\[\w*\])?$|^\$(ref|id|db)$/;

/** @throws CommandError 56, 52 or 2 for an invalid update path. */
export function checkPath(path: string): void {
  const parts = path.split('.');
  if (parts.includes(''))
    throw new CommandError(
      'EmptyFieldName',
      `The update path '${path}' contains an empty field name, which is not allowed.`,
    );
  const field = parts.find((part) => part.startsWith('$') && !DOLLAR.test(part));
  if (field)
    throw new CommandError(
      'DollarPrefixedFieldName',
      `The dollar ($) prefixed field '${field}' in '${path}' is not allowed in the context of an update`,
    );
  if (isPositional(parts[0]!))
    throw new CommandError('BadValue', `Cannot have a positional element in the first position in path '${path}'`);
}

const isPositional = (part: string): boolean => part === '$' || part.startsWith('$[');

/** Orders paths by their fields; array indexes by number. */
export function comparePaths(a: string, b: string): number {
  const [left, right] = [a.split('.'), b.split('.')];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [x, y] = [left[i]!, right[i]!];
    if (x !== y) return isIndex(x) && isIndex(y) ? Number(x) - Number(y) : x < y ? -1 : 1;
  }
  return left.length - right.length;
}

/** Compiles an array filter. @returns its name, and a test for elements */
export function arrayFilter(filter: Doc): [string, Test] {
  const names = new Set(pathsOf(filter).map((path) => path.split('.')[0]!));
  const [id] = names;
  if (names.size !== 1)
    throw new CommandError('FailedToParse', 'Expected a single top-level field name in an array filter');
  if (!/^[a-z][a-zA-Z0-9]*$/.test(id!))
    throw new CommandError(
      'BadValue',
      `The top-level field name must be an alphanumeric string beginning with a lowercase letter, found '${id}'`,
    );
  const test = matcher(filter);
  return [id!, (value) => test({ [id!]: value })];
}

const pathsOf = (filter: Doc): string[] =>
  Object.entries(filter).flatMap(([path, value]) =>
    path.startsWith('$') && Array.isArray(value) ? value.flatMap(pathsOf) : [path],
  );

/** The paths that a path with `$`, `$[]` or `$[name]` resolves to in a document. */
export function resolvePath(path: string, before: Doc, doc: Doc, test: Test, filters: Map<string, Test>): string[][] {
  if (!path.includes('$')) return [path.split('.')];
  let found: string[][] = [[]];
  for (const part of path.split('.')) {
    found = found.flatMap((parts) => {
      if (!isPositional(part)) return [[...parts, part]];
      const list = parts.reduce<any>((value, name) => value?.[name], doc);
      if (part === '$') {
        const index = position(parts.join('.'), test)(before);
        if (index === undefined)
          throw new CommandError('BadValue', 'The positional operator did not find the match needed from the query.');
        return [[...parts, String(index)]];
      }
      if (!Array.isArray(list))
        throw new CommandError(
          'BadValue',
          `The path '${parts.join('.')}' must exist in the document in order to apply array updates.`,
        );
      const name = part.slice(2, -1);
      return list.flatMap((item, i) => (name && !filters.get(name)!(item) ? [] : [[...parts, String(i)]]));
    });
  }
  return found;
}
