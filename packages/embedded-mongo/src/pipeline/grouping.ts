import { Accumulator, accumulators } from './accumulators.js';
import { Doc, isDocument } from '../values/bson.js';
import { CommandError } from '../wire/errors.js';
import { unsupported } from '../wire/options.js';
import { evaluationContext, expression } from '../expressions/expressions.js';
import type { PipelineContext, Flow, Maker, Scope } from './flow.js';
import type { Expression } from '../expressions/operator.js';
import { LATER } from '../server/slice.js';
import { StageMemory, keyOf, heapSizeOf } from '../values/values.js';

/** Fields of a group by name. */
type Fields = [string, () => Accumulator][];

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

/** Collects everything into groups. */
function* grouped(input: Flow, context: PipelineContext, id: Expression, fields: Fields): Flow {
  const { variables } = context;
  const held = new StageMemory('$group');
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
      group = { id: value, states: fields.map(([, make]) => make()) };
      groups.set(key, group);
      held.add(200 + 2 * key.length + heapSizeOf(value) + 150 * fields.length);
    }
    for (const state of group.states) {
      const more = state.add(env);
      if (more) held.add(more);
    }
  }
  for (const { id: _id, states } of groups.values()) {
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
  return (input, context) => grouped(input, context, id, fields);
};

export const grouping: Record<string, Maker> = { $group: group };
