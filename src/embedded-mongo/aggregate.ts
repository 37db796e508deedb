import { Aggregator } from 'mingo';
import { Doc, decode, encode, isDocument, joinArray, promote, toNumber } from './bson.js';
import type { Collection } from './catalogue.js';
import type { Source } from './cursors.js';
import { Command, Engine, NO_CURSOR, countAt, databaseOf, documentAt, namespaceOf, queryOf, sortOf } from './engine.js';
import { CommandError } from './errors.js';
import { Query, Walk } from './walk.js';
import { cursorReply } from './wire.js';

const refused = [
  '$out',
  '$merge',
  '$geoNear',
  '$search',
  '$changeStream',
  '$indexStats',
  '$currentOp',
  '$listSessions',
];

/**
 * The stages at the head that a query can do are done as one, on an index where there is one; the rest is the
 * aggregation library's, on JavaScript values.
 */
export const aggregate: Command = (engine, body) => {
  const database = databaseOf(body);
  const namespace = body.aggregate === 1 ? `${database}.$cmd.aggregate` : namespaceOf(body);
  if (!Array.isArray(body.pipeline))
    throw new CommandError('TypeMismatch', "BSON field 'aggregate.pipeline' is the wrong type, expected type 'array'");
  const stages = body.pipeline.map(stageOf);
  const batchSize = documentAt(body, 'cursor').batchSize;
  const collection = engine.catalogue.get(namespace);
  const source = collection
    ? run(engine, collection, body, stages)
    : list(
        transform(
          engine,
          database,
          [],
          stages.map(({ stage }) => stage),
          body,
        ),
      );
  const { batch, id } = engine.cursors.start(
    namespace,
    source,
    batchSize === undefined ? undefined : countAt(documentAt(body, 'cursor'), 'batchSize'),
  );
  return cursorReply('firstBatch', joinArray(batch), batch.length ? id : (id ?? NO_CURSOR), namespace);
};

interface Stage {
  name: string;
  argument: any;
  stage: Doc;
}

function stageOf(stage: unknown): Stage {
  if (!isDocument(stage) || Object.keys(stage).length !== 1) {
    throw new CommandError(40323, 'A pipeline stage specification object must contain exactly one field.');
  }
  const [[name, argument]] = Object.entries(stage) as [[string, any]];
  if (refused.includes(name)) throw new CommandError('UnknownStage', `Unrecognized pipeline stage name: '${name}'`);
  return { name, argument, stage };
}

function run(engine: Engine, collection: Collection, body: Doc, stages: Stage[]): Source {
  const query: Query = queryOf(collection, { ...body, sort: {} }, {});
  let taken = 0;
  for (const { name, argument } of stages) {
    if (name === '$match' && !query.sort.length && !query.skip && !query.limit) {
      query.filter = taken ? { $and: [query.filter, argument] } : argument;
      if (!isDocument(argument)) throw new CommandError(15959, 'the match filter must be an expression in an object');
    } else if (name === '$sort' && !query.sort.length && !query.skip && !query.limit) query.sort = sortOf(argument);
    else if (name === '$skip' && !query.skip && !query.limit) query.skip = toNumber(argument);
    else if (name === '$limit' && !query.limit && toNumber(argument) > 0) query.limit = toNumber(argument);
    else break;
    taken++;
  }
  const walk = new Walk(engine.store, engine.records, query);
  const rest = stages.slice(taken);
  const counted = countsOnly(rest);
  if (counted) {
    const n = walk.count();
    return list(n || counted.always ? [{ ...counted.id, [counted.field]: n }] : []);
  }
  if (!rest.length) return { next: () => walk.next()?.bytes, pause: () => walk.pause() };
  const docs: Doc[] = [];
  for (let found = walk.next(); found; found = walk.next()) docs.push(promote(found.doc ?? decode(found.bytes)));
  return list(
    transform(
      engine,
      databaseOf(body),
      docs,
      rest.map(({ stage }) => stage),
      body,
    ),
  );
}

/** `$count`, or the `$group` that drivers count documents with. */
function countsOnly(rest: Stage[]): { field: string; id: Doc; always?: boolean } | undefined {
  const [{ name, argument } = { name: '', argument: undefined }] = rest;
  if (rest.length !== 1) return undefined;
  if (name === '$count' && typeof argument === 'string') return { field: argument, id: {} };
  if (name !== '$group' || !isDocument(argument)) return undefined;
  const [field, ...more] = Object.keys(argument).filter((key) => key !== '_id');
  const constant = argument._id === null || typeof argument._id === 'number';
  if (!field || more.length || !constant || !isDocument(argument[field]) || argument[field].$sum !== 1)
    return undefined;
  return { field, id: { _id: argument._id } };
}

function transform(engine: Engine, database: string, docs: Doc[], pipeline: Doc[], body: Doc): Doc[] {
  const collectionResolver = (name: string): Doc[] => {
    const other = engine.catalogue.get(`${database}.${name}`);
    if (!other) return [];
    const walk = new Walk(engine.store, engine.records, queryOf(other, {}, {}));
    const all: Doc[] = [];
    for (let found = walk.next(); found; found = walk.next()) all.push(promote(decode(found.bytes)));
    return all;
  };
  try {
    return new Aggregator(promote(pipeline), { collectionResolver, variables: promote(body.let ?? {}) }).run(
      docs,
    ) as Doc[];
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const unknown = /unregistered pipeline operator (\$\w+)/i.exec(message);
    if (unknown) throw new CommandError('UnknownStage', `Unrecognized pipeline stage name: '${unknown[1]}'`);
    throw new CommandError('BadValue', message);
  }
}

function list(docs: Doc[]): Source {
  const rest = docs[Symbol.iterator]();
  return {
    next: () => {
      const { value, done } = rest.next();
      return done ? undefined : encode(value);
    },
    pause: () => undefined,
  };
}
