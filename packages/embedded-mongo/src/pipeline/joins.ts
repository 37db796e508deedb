import { BSONRegExp, Doc, isDocument } from '../values/bson.js';
import { compute, Computed, withComputed } from './computed.js';
import { CommandError } from '../wire/errors.js';
import { evaluationContext, expression } from '../expressions/expressions.js';
import type { PipelineContext, Flow, Maker, Scope, Step } from './flow.js';
import { LATER } from '../server/slice.js';
import { isIndex } from '../values/paths.js';
import { StageMemory, heapSizeOf } from '../values/values.js';

type Inner = ReturnType<Scope['pipeline']>;

/** Runs a pipeline over another collection. A leading `$match` can use the indexes of that collection. */
function from(collection: string, inner: Inner, filter: Doc, context: PipelineContext, variables: Doc): Flow {
  const [first, ...rest] = inner;
  const matches = first?.name === '$match';
  const whole = matches ? (Object.keys(filter).length ? { $and: [filter, first.argument] } : first.argument) : filter;
  const steps = matches ? rest : inner;
  const start = context.read(collection, whole, variables);
  return steps.reduce((flow, { step }) => step(flow, { ...context, variables }), start);
}

/** All values at a path: array elements rather than the arrays. A number is an array index. */
function values(value: unknown, parts: string[], at = 0): unknown[] {
  if (at === parts.length) return Array.isArray(value) ? value : value === undefined ? [] : [value];
  const part = parts[at]!;
  if (Array.isArray(value)) {
    if (isIndex(part)) return values(value[Number(part)], parts, at + 1);
    return value.flatMap((item) => (isDocument(item) ? values(item, parts, at) : []));
  }
  return isDocument(value) && Object.hasOwn(value, part) ? values(value[part], parts, at + 1) : [];
}

/** The filter for documents whose field equals one of the values. A missing value counts as null. */
function equality(foreign: string, found: unknown[]): Doc {
  const wanted = found.length ? found : [null];
  if (wanted.some((value) => value instanceof BSONRegExp))
    return { $or: wanted.map((value) => ({ [foreign]: { $eq: value } })) };
  return { [foreign]: wanted.length > 1 ? { $in: wanted } : { $eq: wanted[0] } };
}

const LOOKUP = ['from', 'as', 'localField', 'foreignField', 'let', 'pipeline'];

const lookup: Maker = (argument, scope) => {
  if (!isDocument(argument)) throw new CommandError('FailedToParse', 'the $lookup specification must be an object');
  const other = Object.keys(argument).find((name) => !LOOKUP.includes(name));
  if (other) throw new CommandError('FailedToParse', `unknown argument to $lookup: ${other}`);
  const { from: collection, as, localField, foreignField, let: given = {}, pipeline = [] } = argument;
  for (const [name, value] of Object.entries({ from: collection, as, localField, foreignField })) {
    if (value !== undefined && typeof value !== 'string')
      throw new CommandError('FailedToParse', `$lookup argument '${name}' must be a string`);
  }
  if (collection === undefined) throw new CommandError('FailedToParse', "must specify 'from' field for a $lookup");
  if (as === undefined) throw new CommandError('FailedToParse', "must specify 'as' field for a $lookup");
  if ((localField === undefined) !== (foreignField === undefined))
    throw new CommandError('FailedToParse', '$lookup requires both or neither of localField and foreignField');
  if (localField === undefined && argument.pipeline === undefined)
    throw new CommandError(
      'FailedToParse',
      "$lookup requires either 'pipeline' or both 'localField' and 'foreignField'",
    );
  if (!Array.isArray(pipeline) || !isDocument(given))
    throw new CommandError('TypeMismatch', "$lookup needs an array as 'pipeline' and an object as 'let'");
  const own = Object.entries(given).map(([name, value]) => [name, expression(value, scope.names)] as const);
  const inner = scope.pipeline(pipeline, Object.keys(given));
  const parts = localField?.split('.');
  const tree: Computed = new Map();
  compute(tree, as, (env) => env.variables.found);
  return function* (input, context) {
    for (const doc of input) {
      if (doc === LATER) {
        yield LATER;
        continue;
      }
      const env = evaluationContext(doc, context.variables);
      const variables = { ...context.variables, ...Object.fromEntries(own.map(([name, value]) => [name, value(env)])) };
      const filter = parts ? equality(foreignField, values(doc, parts)) : {};
      const held = new StageMemory('$lookup');
      const found: Doc[] = [];
      for (const one of from(collection, inner, filter, context, variables)) {
        if (one === LATER) yield LATER;
        else {
          held.add(heapSizeOf(one));
          found.push(one);
        }
      }
      yield withComputed(doc, tree, { ...env, variables: { found } });
    }
  };
};

const ALONE = ['$facet', '$out', '$merge', '$geoNear', '$collStats', '$indexStats'];

/** Several pipelines over the same documents, each fed one document at a time. */
const facet: Maker = (argument, scope) => {
  if (!isDocument(argument) || !Object.keys(argument).length)
    throw new CommandError(40169, 'the $facet specification must be a non-empty object');
  const pipelines = Object.entries(argument).map(([name, pipeline]) => {
    if (name.startsWith('$') || name.includes('.')) throw new CommandError(16410, `'${name}' cannot be a facet's name`);
    if (!Array.isArray(pipeline)) throw new CommandError(40170, `arguments to $facet must be arrays, ${name} is not`);
    const steps = scope.pipeline(pipeline);
    const alone = steps.find((stage) => ALONE.includes(stage.name));
    if (alone) throw new CommandError(40600, `${alone.name} is not allowed to be used within a $facet stage`);
    return [name, steps.map(({ step }) => step)] as const;
  });
  return function* (input, context) {
    const held = new StageMemory('$facet');
    const lanes = pipelines.map(([name, steps]) => new Lane(name, steps, context, held));
    for (const doc of input) {
      if (doc === LATER) yield LATER;
      else for (const lane of lanes) yield* lane.feed(doc);
    }
    for (const lane of lanes) yield* lane.finish();
    yield Object.fromEntries(lanes.map(({ name, found }) => [name, found]));
  };
};

/** One pipeline of a `$facet`. It pauses whenever it has no input. */
class Lane {
  readonly found: Doc[] = [];
  private next?: Doc;
  private open = true;
  private done = false;
  private readonly flow: Iterator<Doc | typeof LATER>;

  constructor(
    readonly name: string,
    steps: Step[],
    context: PipelineContext,
    private readonly held: StageMemory,
  ) {
    this.flow = steps.reduce<Flow>((flow, step) => step(flow, context), this.input())[Symbol.iterator]();
  }

  *feed(doc: Doc): Generator<typeof LATER> {
    this.next = doc;
    while (!this.done && this.next) yield* this.work();
  }

  *finish(): Generator<typeof LATER> {
    this.open = false;
    while (!this.done) yield* this.work();
  }

  private *work(): Generator<typeof LATER> {
    const { value, done } = this.flow.next();
    if (done) this.done = true;
    else if (value !== LATER) {
      this.held.add(heapSizeOf(value));
      this.found.push(value);
    } else if (this.next || !this.open) yield LATER;
  }

  private *input(): Generator<Doc | typeof LATER> {
    while (this.open || this.next) {
      const doc = this.next;
      this.next = undefined;
      yield doc ?? LATER;
    }
  }
}

export const joins: Record<string, Maker> = { $facet: facet, $lookup: lookup };
