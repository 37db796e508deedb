import { Doc, decode, encode, isDocument, isNumber, toNumber } from '../values/bson.js';
import { computedOf, withComputed } from './computed.js';
import { CommandError } from '../wire/errors.js';
import { unsupported } from '../wire/options.js';
import { evaluationContext, expression } from '../expressions/expressions.js';
import { PipelineContext, Flow, Maker, Scope, Step, drain, mapped } from './flow.js';
import { grouping } from './grouping.js';
import { joins } from './joins.js';
import { matcher } from '../query/match.js';
import { joined } from '../values/order.js';
import { LATER } from '../server/slice.js';
import { sortKey } from '../values/paths.js';
import { sortOf } from '../query/sort.js';
import { projector } from '../query/project.js';
import { unwind } from './unwind.js';
import { StageMemory, typeOf } from '../values/values.js';

/** A pipeline stage with a validated argument. */
export interface Stage {
  name: string;
  argument: any;
  step: Step;
}

/** @throws CommandError for an unknown or unsupported stage, or an invalid argument. */
export function stagesOf(pipeline: unknown[], names: string[] = []): Stage[] {
  const scope: Scope = { names, pipeline: (inner, more = []) => stagesOf(inner, [...names, ...more]) };
  return pipeline.map((stage) => stageOf(stage, scope));
}

function stageOf(stage: unknown, scope: Scope): Stage {
  if (!isDocument(stage))
    throw new CommandError('TypeMismatch', "Each element of the 'pipeline' array must be an object");
  const [[name, argument] = ['', undefined], ...more] = Object.entries(stage);
  if (more.length || !name) {
    throw new CommandError(40323, 'A pipeline stage specification object must contain exactly one field.');
  }
  const maker = Object.hasOwn(makers, name) ? makers[name] : undefined;
  if (!maker) throw unsupported(`the stage ${name} is`, 'UnknownStage');
  const wrong = faults[name]?.(argument);
  if (wrong) throw new CommandError(...wrong);
  return { name, argument, step: maker(argument, scope) };
}

/** Runs documents through a pipeline, one at a time. */
export const flowThrough = (input: Flow, stages: Stage[], context: PipelineContext): Flow =>
  stages.reduce((flow, { step }) => step(flow, context), input);

/** Runs one document through a pipeline that reads no other collection, synchronously. */
export function runStages(doc: Doc, stages: Stage[], variables: Doc): Doc[] {
  const read = (): Flow => [];
  return drain(flowThrough([doc], stages, { variables, read, due: () => false }));
}

const whole = (value: unknown): number =>
  isNumber(value) && Number.isInteger(toNumber(value)) ? toNumber(value) : NaN;

const faults: Record<string, (argument: any) => [number, string] | false> = {
  $match: (argument) => !isDocument(argument) && [15959, 'the match filter must be an expression in an object'],
  $sort: (argument) => {
    if (!isDocument(argument)) return [15973, 'the $sort key specification must be an object'];
    return !Object.keys(argument).length && [15976, '$sort stage must have at least one sort key'];
  },
  $skip: (argument) =>
    !(whole(argument) >= 0) && [5107200, 'invalid argument to $skip stage: Expected a non-negative number'],
  $limit: (argument) => {
    if (!(whole(argument) >= 0)) return [5107201, 'invalid argument to $limit stage: Expected a non-negative number'];
    return whole(argument) === 0 && [15958, 'the limit must be positive'];
  },
  $count: (argument) => {
    if (typeof argument !== 'string') return [40156, 'the count field must be a non-empty string'];
    if (!argument) return [40157, 'the count field must be a non-empty string'];
    if (argument.startsWith('$')) return [40158, 'the count field cannot be a $-prefixed path'];
    return argument.includes('.') && [40160, "the count field cannot contain '.'"];
  },
  $unset: (argument) => {
    const paths = [argument].flat();
    if (!paths.length) return [31119, '$unset specification must be a string or an array with at least one field'];
    return (
      !paths.every((path) => typeof path === 'string') && [
        31120,
        '$unset specification must be a string or an array of strings',
      ]
    );
  },
  $addFields: (argument) => !isDocument(argument) && [40272, '$addFields specification stage must be an object'],
  $set: (argument) => !isDocument(argument) && [40272, '$set specification stage must be an object'],
  $project: (argument) => {
    if (!isDocument(argument)) return [15969, '$project specification must be an object'];
    return !Object.keys(argument).length && [51272, 'projection specification must have at least one field'];
  },
  $replaceRoot: (argument) => {
    if (!isDocument(argument)) return [40229, '$replaceRoot needs an object with newRoot'];
    return Object.keys(argument).join() !== 'newRoot' && [40231, 'no newRoot specified for the $replaceRoot stage'];
  },
};

const addFields: Maker = (argument, { names }) => {
  const tree = computedOf(argument, (inner, more = []) => expression(inner, [...names, ...more]));
  return mapped((doc, { variables }) => withComputed(doc, tree, evaluationContext(doc, variables)));
};

const replaceWith: Maker = (argument, { names }) => {
  const root = expression(argument, names);
  return mapped((doc, { variables }) => {
    const made = root(evaluationContext(doc, variables));
    if (isDocument(made)) return made;
    throw new CommandError(
      40228,
      `'newRoot' expression must evaluate to an object, but resulting value was of type ${typeOf(made)}`,
    );
  });
};

/** Holds its rows as bytes, which do not burden the garbage collector. */
const sort: Maker = (argument) => {
  const order = sortOf(argument);
  const descending = order.map(([, direction]) => direction < 0);
  const paths = order.map(([path]) => path.split('.'));
  return function* (input) {
    const held = new StageMemory('Sort');
    const rows: { key: Buffer; bytes: Buffer }[] = [];
    for (const doc of input) {
      if (doc === LATER) {
        yield LATER;
        continue;
      }
      const keys = paths.map((parts, i) => sortKey(doc, parts, descending[i]!));
      const row = { key: joined(keys, descending), bytes: encode(doc) };
      held.add(row.key.length + row.bytes.length + 128);
      rows.push(row);
    }
    rows.sort((a, b) => Buffer.compare(a.key, b.key));
    for (const { bytes } of rows) yield decode(bytes);
  };
};

/** All supported stages. Any other is rejected by name. */
const makers: Record<string, Maker> = {
  ...grouping,
  ...joins,
  $addFields: addFields,
  $set: addFields,
  $count: (argument) =>
    function* (input) {
      let count = 0;
      for (const doc of input) {
        if (doc === LATER) yield LATER;
        else count++;
      }
      if (count) yield { [argument]: count };
    },
  $limit: (argument) =>
    function* (input) {
      let left = toNumber(argument);
      for (const doc of input) {
        yield doc;
        if (doc !== LATER && --left <= 0) return;
      }
    },
  $match: (argument, { names }) => {
    // The values are not known yet. This finds malformed filters.
    matcher(argument, Object.fromEntries(names.map((name) => [name, null])));
    return function* (input, { variables }) {
      const test = matcher(argument, variables);
      for (const doc of input) if (doc === LATER || test(doc)) yield doc;
    };
  },
  $project: (argument, { names }) => {
    const project = projector(argument, { names, stage: true })!;
    return mapped((doc, { variables }) => project(doc, variables));
  },
  $replaceRoot: (argument, scope) => replaceWith(argument.newRoot, scope),
  $replaceWith: replaceWith,
  $skip: (argument) =>
    function* (input) {
      let left = toNumber(argument);
      for (const doc of input) if (doc === LATER || --left < 0) yield doc;
    },
  $sort: sort,
  $unset: (argument) => mapped(projector(Object.fromEntries([argument].flat().map((path) => [path, 0])))!),
  $unwind: unwind,
};
