import { Doc, isDocument, isNumber, toNumber } from '../values/bson.js';
import { Computed, compute, withComputed } from '../pipeline/computed.js';
import { CommandError } from '../wire/errors.js';
import { evaluationContext, expression } from '../expressions/expressions.js';
import { elementTest, matcher } from './match.js';
import { Test } from './predicates.js';

type Leaf = (value: unknown, doc: Doc) => unknown;
type Tree = Map<string, Tree | Leaf>;
/** Takes the variables that expressions may use. */
export type Projector = (doc: Doc, variables?: Doc) => Doc;

export interface ProjectionOptions {
  /** The filter that found the documents, for `.$`. */
  filter?: Doc;
  /** The variables that expressions may use. */
  names?: string[];
  /** It is a pipeline stage, where `$slice` is an expression. */
  stage?: boolean;
}

const keep: Leaf = (value) => value;
const drop: Leaf = () => undefined;

/** Compiles a projection. Undefined if it keeps everything. Fields keep their stored types. */
export function projector(
  spec: Doc,
  { filter = {}, names = [], stage = false }: ProjectionOptions = {},
): Projector | undefined {
  const entries = flatten(spec);
  if (!entries.length) return undefined;
  const tree: Tree = new Map();
  const computed: Computed = new Map();
  let including: boolean | undefined;
  let id: Leaf | undefined;
  for (const [path, value] of entries) {
    if (typeof value === 'boolean' || isNumber(value)) {
      const wanted = typeof value === 'boolean' ? value : toNumber(value) !== 0;
      if (path === '_id') {
        id = wanted ? keep : drop;
        continue;
      }
      if (including === !wanted) {
        const [code, what, kind] = wanted ? [31253, 'inclusion', 'exclusion'] : [31254, 'exclusion', 'inclusion'];
        throw new CommandError(Number(code), `Cannot do ${what} on field ${path} in ${kind} projection`);
      }
      including = wanted;
      const positional = !stage && path.endsWith('.$');
      if (positional && !wanted) throw new CommandError(31395, 'positional projection cannot be used with exclusion');
      insert(
        tree,
        (positional ? path.slice(0, -2) : path).split('.'),
        positional ? firstMatch(path.slice(0, -2), filter) : wanted ? keep : drop,
      );
    } else if (!stage && isDocument(value) && '$slice' in value) insert(tree, path.split('.'), slice(value.$slice));
    else if (!stage && isDocument(value) && '$elemMatch' in value) {
      const test = elementTest(value.$elemMatch);
      including ??= true;
      insert(tree, path.split('.'), (list) => {
        const found = Array.isArray(list) ? list.find(test) : undefined;
        return found === undefined ? undefined : [found];
      });
    } else {
      if (including === false)
        throw new CommandError(31252, `Cannot use an expression for ${path} in an exclusion projection`);
      if (isDocument(value) && !Object.keys(value).length)
        throw new CommandError(51270, 'An empty sub-projection is not a valid value. Found empty object at path');
      including = true;
      // A computed field replaces the stored one.
      insert(tree, path.split('.'), drop);
      compute(computed, path, expression(value, names));
    }
  }
  including ??= id === keep && entries.length === 1;
  tree.set('_id', tree.get('_id') ?? id ?? keep);
  return (doc, variables = {}) => {
    const result = pick(doc, tree, including!, doc, computed);
    return computed.size ? withComputed(result, computed, evaluationContext(doc, variables)) : result;
  };
}

/** `{a: {b: 1}}` is `{'a.b': 1}`. */
function flatten(spec: Doc, path = ''): [string, unknown][] {
  return Object.entries(spec).flatMap(([name, value]) => {
    const [first] = isDocument(value) ? Object.keys(value) : [];
    const nested = first !== undefined && !first.startsWith('$');
    return nested ? flatten(value as Doc, `${path}${name}.`) : [[path + name, value] as [string, unknown]];
  });
}

function insert(tree: Tree, parts: string[], leaf: Leaf): void {
  const [head, ...rest] = parts as [string, ...string[]];
  const there = tree.get(head);
  if (typeof there === 'function' || (there && !rest.length))
    throw new CommandError(rest.length ? 31249 : 31250, `Path collision at ${parts.join('.')}`);
  if (!rest.length) tree.set(head, leaf);
  else {
    const branch = there ?? new Map();
    tree.set(head, branch);
    insert(branch as Tree, rest, leaf);
  }
}

type Branch = Computed | ReturnType<typeof expression>;

function pick(doc: Doc, tree: Tree, including: boolean, root: Doc, computed?: Branch): Doc {
  const result: [string, unknown][] = [];
  for (const [name, value] of Object.entries(doc)) {
    const node = tree.get(name);
    const below = computed instanceof Map ? computed.get(name) : undefined;
    const kept = node === undefined ? (including ? undefined : value) : inside(value, node, including, root, below);
    if (kept !== undefined) result.push([name, kept]);
  }
  return Object.fromEntries(result);
}

/** If fields are computed in array elements, elements that are not documents stay as gaps. */
function inside(value: unknown, node: Tree | Leaf, including: boolean, root: Doc, computed?: Branch): unknown {
  if (typeof node === 'function') return node(value, root);
  if (isDocument(value)) return pick(value, node, including, root, computed);
  if (!Array.isArray(value)) return including ? undefined : value;
  const items = value.map((item) => inside(item, node, including, root, computed));
  return computed ? items : items.filter((item) => item !== undefined);
}

function slice(argument: unknown): Leaf {
  const [from, count] = (Array.isArray(argument) ? argument.map(toNumber) : [toNumber(argument)]) as [number, number?];
  const malformed = Array.isArray(argument) && argument.length !== 2;
  if (malformed || Number.isNaN(from) || (count !== undefined && !(count > 0))) {
    throw new CommandError(
      28724,
      'Invalid $slice syntax: expected a number, or an array of a number and a positive number',
    );
  }
  return (list) => {
    if (!Array.isArray(list)) return list;
    if (count === undefined) return from < 0 ? list.slice(from) : list.slice(0, from);
    const start = from < 0 ? Math.max(list.length + from, 0) : from;
    return list.slice(start, start + count);
  };
}

function firstMatch(path: string, filter: Doc): Leaf {
  const at = position(path, matcher(filter));
  return (list, doc) => {
    if (!Array.isArray(list)) return list;
    const index = at(doc);
    if (index === undefined)
      throw new CommandError(51246, "positional operator '.$' couldn't find a matching element in the array");
    return [list[index]];
  };
}

/** Finds the array element that made a filter match: the first that matches on its own, if an empty array does not match. */
export function position(path: string, test: Test): (doc: Doc) => number | undefined {
  const parts = path.split('.');
  const having = (list: unknown[], value: any, depth = 0): any =>
    depth === parts.length ? list : { ...value, [parts[depth]!]: having(list, value[parts[depth]!], depth + 1) };
  return (doc) => {
    const list = parts.reduce<any>((value, part) => value?.[part], doc);
    if (!Array.isArray(list) || test(having([], doc))) return undefined;
    const index = list.findIndex((item) => test(having([item], doc)));
    return index < 0 ? undefined : index;
  };
}
