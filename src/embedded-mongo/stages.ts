import { Aggregator } from 'mingo';
import { Doc, isDocument, isNumber, promote, toNumber } from './bson.js';
import { CommandError } from './errors.js';
import { evaluated } from './expressions.js';
import { matcher } from './match.js';
import { unsupported } from './options.js';
import { equal, joined } from './order.js';
import { sortKey } from './paths.js';
import { sortOf } from './plan.js';
import { projector } from './project.js';

/** A stage of a pipeline, its argument known to be of the right kind. */
export interface Stage {
  name: string;
  argument: any;
}

const REFUSED = [
  '$out',
  '$merge',
  '$geoNear',
  '$search',
  '$changeStream',
  '$indexStats',
  '$collStats',
  '$currentOp',
  '$listSessions',
];

/** @throws CommandError for what is no stage, or has an argument that it cannot have. */
export function stageOf(stage: unknown): Stage {
  if (!isDocument(stage))
    throw new CommandError('TypeMismatch', "Each element of the 'pipeline' array must be an object");
  const [[name, argument] = ['', undefined], ...more] = Object.entries(stage);
  if (more.length || !name) {
    throw new CommandError(40323, 'A pipeline stage specification object must contain exactly one field.');
  }
  if (REFUSED.includes(name)) throw unsupported(`The stage ${name} is`, 'UnknownStage');
  const wrong = faults[name]?.(argument);
  if (wrong) throw new CommandError(...wrong);
  return { name, argument };
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
};

/** Those that need no expressions keep every field's stored type. */
const own: Record<string, (docs: Doc[], argument: any, variables: Doc) => Doc[]> = {
  $match: (docs, argument, variables) => docs.filter(matcher(argument, variables)),
  $sort: (docs, argument) => {
    const sort = sortOf(argument);
    const descending = sort.map(([, order]) => order < 0);
    const paths = sort.map(([path]) => path.split('.'));
    const rows = docs.map((doc) => ({
      doc,
      key: joined(
        paths.map((parts, i) => sortKey(doc, parts, descending[i]!)),
        descending,
      ),
    }));
    return rows.sort((a, b) => Buffer.compare(a.key, b.key)).map(({ doc }) => doc);
  },
  $skip: (docs, argument) => docs.slice(toNumber(argument)),
  $limit: (docs, argument) => docs.slice(0, toNumber(argument)),
  $count: (docs, argument) => (docs.length ? [{ [argument]: docs.length }] : []),
  $project: (docs, argument) => docs.map(projector(argument)!),
  $unset: (docs, argument) => docs.map(projector(Object.fromEntries([argument].flat().map((path) => [path, 0])))!),
};

/** Runs what is left of a pipeline on documents that are at hand; `others` gives those of another collection. */
export function runStages(docs: Doc[], stages: Stage[], others: (name: string) => Doc[], variables: Doc): Doc[] {
  return stages.reduce((result, { name, argument }) => {
    if (own[name] && !(name === '$project' && computes(argument))) return own[name]!(result, argument, variables);
    return library(result, name, argument, others, variables);
  }, docs);
}

/** The aggregation library's stages and expressions work on JavaScript's values. */
function library(docs: Doc[], name: string, argument: any, others: (name: string) => Doc[], variables: Doc): Doc[] {
  const collectionResolver = (other: string): Doc[] => others(other).map(promote);
  const pipeline = [{ [name]: promote(argument) }];
  let result: Doc[];
  try {
    const aggregator = new Aggregator(pipeline, { collectionResolver, variables: promote(variables) });
    result = evaluated(() => aggregator.run(docs.map(promote)) as Doc[]);
  } catch (error) {
    if (!/unregistered|unknown pipeline|pipeline operator/i.test((error as Error).message)) throw error;
    throw new CommandError('UnknownStage', `Unrecognized pipeline stage name: '${name}'`);
  }
  const kept = ['$project', '$addFields', '$set', '$replaceRoot', '$replaceWith'].includes(name);
  if (!kept) return result;
  return result.map((doc, i) => inOrder(restore(doc, docs[i]), docs[i]!, name === '$project' ? argument : {}));
}

/** Gives what a stage left alone its stored types again. */
function restore(value: any, stored: any): any {
  if (isDocument(value) && isDocument(stored)) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, restore(item, stored[key])]));
  }
  if (Array.isArray(value) && Array.isArray(stored)) return value.map((item, i) => restore(item, stored[i]));
  return stored !== undefined && equal(value, stored) ? stored : value;
}

/** The values of a `let`, which are expressions without a document. */
export function constants(given: Doc): Doc {
  if (!Object.keys(given).length) return given;
  return evaluated(() => new Aggregator([{ $replaceRoot: { newRoot: promote(given) } }], {}).run([{}]) as Doc[])[0]!;
}

/** `_id`, then what was there already as it stood, then what was computed as it was asked for. */
function inOrder(doc: Doc, stored: Doc, computed: Doc): Doc {
  const names = ['_id', ...Object.keys(stored).filter((name) => !isDocument(computed[name])), ...Object.keys(computed)];
  const ordered = [...new Set([...names, ...Object.keys(doc)])].filter((name) => name in doc);
  return Object.fromEntries(ordered.map((name) => [name, doc[name]]));
}

const computes = (spec: Doc): boolean =>
  Object.values(spec).some((value) =>
    isDocument(value)
      ? computes(value) || Object.keys(value).some((key) => key.startsWith('$'))
      : typeof value !== 'boolean' && !isNumber(value),
  );
