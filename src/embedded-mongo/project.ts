import { Aggregator } from 'mingo';
import { Doc, isDocument, isNumber, promote, toNumber } from './bson.js';
import { CommandError } from './errors.js';
import { evaluated } from './expressions.js';
import { elementTest, matcher } from './match.js';
import { Test } from './predicates.js';

type Leaf = (value: unknown, doc: Doc) => unknown;
type Tree = Map<string, Tree | Leaf>;
export type Projector = (doc: Doc) => Doc;

const keep: Leaf = (value) => value;
const drop: Leaf = () => undefined;

/** Compiles a projection; undefined when it keeps everything. The fields keep the types they are stored with. */
export function projector(spec: Doc, filter: Doc = {}): Projector | undefined {
  const entries = flatten(spec);
  if (!entries.length) return undefined;
  const tree: Tree = new Map();
  const computed: Doc = {};
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
      const positional = path.endsWith('.$');
      if (positional && !wanted) throw new CommandError(31395, 'positional projection cannot be used with exclusion');
      insert(
        tree,
        (positional ? path.slice(0, -2) : path).split('.'),
        positional ? firstMatch(path.slice(0, -2), filter) : wanted ? keep : drop,
      );
    } else if (isDocument(value) && '$slice' in value) insert(tree, path.split('.'), slice(value.$slice));
    else if (isDocument(value) && '$elemMatch' in value) {
      const test = elementTest(value.$elemMatch);
      including ??= true;
      insert(tree, path.split('.'), (list) => {
        const found = Array.isArray(list) ? list.find(test) : undefined;
        return found === undefined ? undefined : [found];
      });
    } else {
      if (including === false)
        throw new CommandError(31252, `Cannot use an expression for ${path} in an exclusion projection`);
      including = true;
      computed[path] = value;
    }
  }
  including ??= id === keep && entries.length === 1;
  tree.set('_id', tree.get('_id') ?? id ?? keep);
  const compute = Object.keys(computed).length
    ? new Aggregator([{ $project: { ...computed, _id: 0 } }], {})
    : undefined;
  return (doc) => {
    const result = pick(doc, tree, including!, doc);
    return compute ? { ...result, ...evaluated(() => compute.run([promote(doc)]))[0] } : result;
  };
}

/** `{a: {b: 1}}` is `{'a.b': 1}`. */
function flatten(spec: Doc, path = ''): [string, unknown][] {
  return Object.entries(spec).flatMap(([name, value]) => {
    const nested = isDocument(value) && Object.keys(value).length && !Object.keys(value)[0]!.startsWith('$');
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

function pick(doc: Doc, tree: Tree, including: boolean, root: Doc): Doc {
  const result: Doc = {};
  for (const [name, value] of Object.entries(doc)) {
    const node = tree.get(name);
    const kept = node === undefined ? (including ? undefined : value) : inside(value, node, including, root);
    if (kept !== undefined) result[name] = kept;
  }
  return result;
}

function inside(value: unknown, node: Tree | Leaf, including: boolean, root: Doc): unknown {
  if (typeof node === 'function') return node(value, root);
  if (isDocument(value)) return pick(value, node, including, root);
  if (Array.isArray(value))
    return value.map((item) => inside(item, node, including, root)).filter((item) => item !== undefined);
  return including ? undefined : value;
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

/** Finds which element of an array made a filter match: the first with which alone it still does, and not with none. */
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
