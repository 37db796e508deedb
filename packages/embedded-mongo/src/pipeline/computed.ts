import { Doc, isDocument } from '../values/bson.js';
import { CommandError } from '../wire/errors.js';
import { Builder, EvaluationContext, Expression } from '../expressions/operator.js';

/** Computed fields by name; nested fields are subtrees. */
export type Computed = Map<string, Computed | Expression>;

/** Adds `a.b: expression`. @throws CommandError 40176 if it conflicts with another path. */
export function compute(tree: Computed, path: string, value: Expression): void {
  const parts = path.split('.');
  if (parts.includes('')) throw new CommandError(40353, `FieldPath '${path}' is not well-formed`);
  if (parts.some((part) => part.startsWith('$')))
    throw new CommandError(16410, `FieldPath field names may not start with '$': ${path}`);
  let at = tree;
  for (const [i, part] of parts.entries()) {
    const there = at.get(part);
    const last = i === parts.length - 1;
    if (typeof there === 'function' || (there && last))
      throw new CommandError(40176, `specification contains two conflicting paths: '${path}'`);
    if (last) at.set(part, value);
    else {
      const branch: Computed = there ?? new Map();
      at.set(part, branch);
      at = branch;
    }
  }
}

/** The tree of `$addFields` and `$set`. An object is a nested path, unless it is an operator. */
export function computedOf(spec: Doc, build: Builder): Computed {
  const tree: Computed = new Map();
  const enter = (given: Doc, prefix: string): void => {
    for (const [name, value] of Object.entries(given)) {
      const [first] = isDocument(value) ? Object.keys(value) : [];
      if (first && !first.startsWith('$')) enter(value as Doc, `${prefix}${name}.`);
      else compute(tree, prefix + name, build(value));
    }
  };
  enter(spec, '');
  return tree;
}

/** The document with its computed fields: existing fields are replaced in place, new ones appended. */
export function withComputed(doc: Doc, tree: Computed, env: EvaluationContext): Doc {
  const result = new Map(Object.entries(doc));
  for (const [name, node] of tree) {
    const value = typeof node === 'function' ? node(env) : inside(result.get(name), node, env);
    if (value === undefined) result.delete(name);
    else result.set(name, value);
  }
  return Object.fromEntries(result);
}

/** Descends into arrays. A value that is not a document becomes one. */
function inside(value: unknown, tree: Computed, env: EvaluationContext): unknown {
  if (Array.isArray(value)) return value.map((item) => inside(item, tree, env));
  return withComputed(isDocument(value) ? value : {}, tree, env);
}
