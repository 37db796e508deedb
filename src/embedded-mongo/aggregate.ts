import { Doc, decode, encode, isDocument, joinArray, toNumber } from './bson.js';
import type { Collection } from './catalogue.js';
import type { Source } from './cursors.js';
import { Command, Engine, countAt, databaseOf, documentAt, namespaceOf, queryOf } from './engine.js';
import { CommandError } from './errors.js';
import { sortOf } from './plan.js';
import { LATER } from './slice.js';
import { Stage, constants, runStages, stageOf } from './stages.js';
import { Query, Walk } from './walk.js';
import { cursorReply } from './wire.js';

/** The stages at the head that a query can do are one, on an index where there is one; the rest works on its result. */
export const aggregate: Command = async (engine, body) => {
  const namespace = body.aggregate === 1 ? `${databaseOf(body)}.$cmd.aggregate` : namespaceOf(body);
  if (!Array.isArray(body.pipeline)) {
    throw new CommandError('TypeMismatch', "BSON field 'aggregate.pipeline' is the wrong type, expected type 'array'");
  }
  const stages = body.pipeline.map(stageOf);
  const cursor = documentAt(body, 'cursor');
  const batchSize = cursor.batchSize === undefined ? undefined : countAt(cursor, 'batchSize');
  const collection = engine.catalogue.get(namespace);
  const others = (name: string): Doc[] => everything(engine, `${databaseOf(body)}.${name}`);
  const source = collection
    ? await run(engine, collection, body, stages, others)
    : list(runStages([], stages, others, constants(documentAt(body, 'let'))));
  const { batch, id } = await engine.cursors.start(namespace, source, batchSize);
  return cursorReply('firstBatch', joinArray(batch), id, namespace);
};

type Others = (name: string) => Doc[];

async function run(
  engine: Engine,
  collection: Collection,
  body: Doc,
  stages: Stage[],
  others: Others,
): Promise<Source> {
  const query: Query = queryOf(collection, { ...body, sort: {} }, {});
  let taken = 0;
  for (const { name, argument } of stages) {
    const unordered = !query.sort.length && !query.skip && !query.limit;
    if (name === '$match' && unordered) query.filter = taken ? { $and: [query.filter, argument] } : argument;
    else if (name === '$sort' && unordered) query.sort = sortOf(argument);
    else if (name === '$skip' && !query.skip && !query.limit) query.skip = toNumber(argument);
    else if (name === '$limit' && !query.limit) query.limit = toNumber(argument);
    else break;
    taken++;
  }
  const walk = new Walk(engine.store, engine.records, query);
  const rest = stages.slice(taken);
  const counted = countsOnly(rest);
  if (counted) {
    const n = await walk.count(() => engine.turn());
    return list(n ? [{ ...counted.id, [counted.field]: n }] : []);
  }
  if (!rest.length) return { next: () => bytesOf(walk.poll()), pause: () => walk.pause() };
  return list(runStages(documents(walk), rest, others, constants(documentAt(body, 'let'))));
}

const bytesOf = (found: ReturnType<Walk['poll']>): ReturnType<Source['next']> =>
  found === LATER ? LATER : found?.bytes;

/** `$count`, or the `$group` that drivers count documents with. */
function countsOnly(rest: Stage[]): { field: string; id: Doc } | undefined {
  const [first] = rest;
  if (!first || rest.length !== 1) return undefined;
  const { name, argument } = first;
  if (name === '$count') return { field: argument, id: {} };
  if (name !== '$group' || !isDocument(argument)) return undefined;
  const [field, ...more] = Object.keys(argument).filter((key) => key !== '_id');
  const constant = argument._id === null || typeof argument._id === 'number';
  const one =
    field && isDocument(argument[field]) && Object.keys(argument[field]).join() === '$sum' ? argument[field].$sum : 0;
  return constant && one === 1 && !more.length ? { field: field!, id: { _id: argument._id } } : undefined;
}

function everything(engine: Engine, namespace: string): Doc[] {
  const collection = engine.catalogue.get(namespace);
  return collection ? documents(new Walk(engine.store, engine.records, queryOf(collection, {}, {}))) : [];
}

const documents = (walk: Walk): Doc[] => walk.all().map(({ doc, bytes }) => doc ?? decode(bytes));

function list(docs: Doc[]): Source {
  let at = 0;
  return { next: () => (at < docs.length ? encode(docs[at++]!) : undefined), pause: () => undefined };
}
