import { accumulators } from './accumulators.js';
import { Doc, isDocument } from './bson.js';
import { CommandError } from './errors.js';
import { unsupported } from './options.js';
import { constants, evaluationContext, expression } from './expressions.js';
import type { PipelineContext, Flow, Maker, Scope, Step } from './flow.js';
import type { EvaluationContext, Expression } from './operators/operator.js';
import { compare, rankOf } from './order.js';
import type { Accumulator } from './ranked.js';
import { LATER } from './slice.js';
import { StageMemory, compareValues, keyOf, heapSizeOf } from './values.js';

/** Fields of a group by name. */
type Fields = [string, (env: EvaluationContext) => Accumulator][];

interface Group {
  id: unknown;
  states: Accumulator[];
}

function fieldsOf(spec: Doc, { names }: Scope): Fields {
  const build = (inner: unknown, more: string[] = []): Expression => expression(inner, [...names, ...more]);
  return Object.entries(spec).map(([field, value]) => {
    if (field.includes('.')) throw new CommandError(40235, `The field name '${field}' cannot contain '.'`);
    if (field.startsWith('$')) throw new CommandError(40236, `The field name '${field}' cannot be an operator name`);
    if (!isDocument(value)) throw new CommandError(40234, `The field '${field}' must be an accumulator object`);
    const [[name, argument] = ['', undefined], ...more] = Object.entries(value);
    if (more.length) throw new CommandError(40238, `The field '${field}' must specify one accumulator`);
    if (!name.startsWith('$')) throw new CommandError(40234, `The field '${field}' must be an accumulator object`);
    const accumulator = Object.hasOwn(accumulators, name) ? accumulators[name] : undefined;
    if (!accumulator) throw unsupported(`the accumulator ${name} is`, 'InvalidPipelineOperator');
    return [field, accumulator(argument, build, name)];
  });
}

/** Collects everything into groups. Sorted groups come in the order of their `_id`. */
function* grouped(
  input: Flow,
  context: PipelineContext,
  id: Expression,
  fields: Fields,
  { stage, sorted }: { stage: string; sorted: boolean },
): Flow {
  const { variables } = context;
  const held = new StageMemory(stage);
  const groups = new Map<string, Group>();
  for (const doc of input) {
    if (doc === LATER) {
      yield LATER;
      continue;
    }
    const env = evaluationContext(doc, variables);
    const value: unknown = id(env) ?? null;
    const key = keyOf(value);
    let group = groups.get(key);
    if (!group) {
      const own = evaluationContext(isDocument(value) ? value : {}, variables);
      group = { id: value, states: fields.map(([, make]) => make(own)) };
      groups.set(key, group);
      held.add(200 + 2 * key.length + heapSizeOf(value) + 150 * fields.length);
    }
    for (const state of group.states) {
      const more = state.add(env);
      if (more) held.add(more);
    }
  }
  const all = sorted ? [...groups.values()].sort((a, b) => compare(a.id, b.id)) : groups.values();
  for (const { id: _id, states } of all) {
    yield Object.fromEntries([['_id', _id], ...fields.map(([field], i) => [field, states[i]!.result()] as const)]);
    if (context.due()) yield LATER;
  }
}

const group: Maker = (argument, scope) => {
  if (!isDocument(argument)) throw new CommandError(15947, "a group's fields must be specified in an object");
  const { _id, ...rest } = argument;
  if (_id === undefined) throw new CommandError(15955, 'a group specification must include an _id');
  const id = expression(_id, scope.names);
  const fields = fieldsOf(rest, scope);
  return (input, context) => grouped(input, context, id, fields, { stage: '$group', sorted: false });
};

const COUNT = { count: { $sum: 1 } };

const bucket: Maker = (argument, scope) => {
  if (!isDocument(argument)) throw new CommandError(40201, 'Argument to $bucket stage must be an object');
  const { groupBy, boundaries, default: rest, output = COUNT, ...unknown } = argument;
  const [other] = Object.keys(unknown);
  if (other) throw new CommandError(40197, `Unrecognized option to $bucket: ${other}.`);
  if (groupBy === undefined || boundaries === undefined)
    throw new CommandError(40198, "$bucket requires 'groupBy' and 'boundaries' to be specified.");
  if (!isDocument(groupBy) && !(typeof groupBy === 'string' && groupBy.startsWith('$')))
    throw new CommandError(40202, 'The $bucket groupBy field must be a $-prefixed path or an expression object');
  if (!Array.isArray(boundaries)) throw new CommandError(40200, 'The $bucket boundaries field must be an array');
  if (boundaries.length < 2) throw new CommandError(40192, 'The $bucket boundaries field must have at least 2 values');
  const edges = boundaries.map(constant);
  for (const [i, edge] of edges.entries()) {
    if (i && rankOf(edge) !== rankOf(edges[i - 1]))
      throw new CommandError(40193, "All values in the 'boundaries' option to $bucket must have the same type.");
    if (i && compare(edge, edges[i - 1]) <= 0)
      throw new CommandError(40194, "The 'boundaries' option to $bucket must be sorted.");
  }
  const otherwise = rest === undefined ? undefined : constant(rest);
  if (rest !== undefined && compare(otherwise, edges[0]) >= 0 && compare(otherwise, edges.at(-1)) < 0)
    throw new CommandError(
      40199,
      "The $bucket 'default' field must be less than the lowest boundary or not less than the highest.",
    );
  if (!isDocument(output)) throw new CommandError(40196, 'The $bucket output field must be an object');
  const by = expression(groupBy, scope.names);
  const fields = fieldsOf(output, scope);
  const id: Expression = (env) => {
    const value: unknown = by(env);
    const above = edges.findIndex((edge) => compareValues(value, edge) < 0);
    if (above > 0) return edges[above - 1];
    if (rest !== undefined) return otherwise;
    throw new CommandError(40066, '$bucket found a value outside its boundaries, and no default was specified.');
  };
  return (input, context) => grouped(input, context, id, fields, { stage: '$bucket', sorted: true });
};

/** The value of an expression that does not depend on a document. */
const constant = (given: unknown): unknown => constants({ given }).given;

const sortByCount: Maker = (argument, scope) => {
  if (!isDocument(argument) && !(typeof argument === 'string' && argument.startsWith('$')))
    throw new CommandError(
      40149,
      'the sortByCount field must be specified as a $-prefixed path or an expression object',
    );
  const id = expression(argument, scope.names);
  const fields = fieldsOf(COUNT, scope);
  const sort: Step = scope.pipeline([{ $sort: { count: -1 } }])[0]!.step;
  return (input, context) =>
    sort(grouped(input, context, id, fields, { stage: '$sortByCount', sorted: false }), context);
};

export const grouping: Record<string, Maker> = { $bucket: bucket, $group: group, $sortByCount: sortByCount };
