import { Doc, MAX_DOCUMENT, decode, encode, isDocument, joinArray, toNumber } from '../values/bson.js';
import type { Collection } from '../storage/catalogue.js';
import type { Source } from '../server/cursors.js';
import {
  Command,
  ServerState,
  countAt,
  databaseOf,
  documentAt,
  namespaceOf,
  deadlineOf,
  queryOf,
} from '../server/server-state.js';
import { CommandError } from '../wire/errors.js';
import { unsupported } from '../wire/options.js';
import { constants } from '../expressions/expressions.js';
import type { PipelineContext, Flow } from '../pipeline/flow.js';
import { paceOf } from '../server/in-slices.js';
import { sortOf } from '../query/sort.js';
import { LATER, Slice } from '../server/slice.js';
import { Stage, flowThrough, stagesOf } from '../pipeline/stages.js';
import { statisticsOf } from './statistics.js';
import { Found, Query, QueryScan } from '../query/query-scan.js';
import { cursorReply } from '../wire/wire.js';

/** Leading stages that a query can express run as one, with an index if possible. The remaining stages run on its result. */
export const aggregate: Command = async (state, body, connection) => {
  if (body.aggregate === 1) throw unsupported('an aggregation without a collection is', 'InvalidNamespace');
  if (body.explain) throw unsupported('explain of an aggregation is', 'CommandNotSupported');
  const namespace = namespaceOf(body);
  if (!Array.isArray(body.pipeline)) {
    throw new CommandError('TypeMismatch', "BSON field 'aggregate.pipeline' is the wrong type, expected type 'array'");
  }
  const variables = constants(documentAt(body, 'let'));
  const about = await statisticsOf(state, namespace, body.pipeline[0], paceOf(state, body, connection));
  const stages = stagesOf(about ? body.pipeline.slice(1) : body.pipeline, Object.keys(variables));
  const cursor = documentAt(body, 'cursor');
  const batchSize = cursor.batchSize === undefined ? undefined : countAt(cursor, 'batchSize');
  const letOthersRun = (): Promise<void> => state.letOthersRun(connection);
  const source = new Pipeline(state, body, stages, variables, about);
  await source.prepare(letOthersRun);
  const { batch, id } = await state.cursors.start(namespace, source, batchSize, false, letOthersRun);
  return cursorReply('firstBatch', joinArray(batch), id, namespace);
};

/** A pipeline that reads only as many documents as requested, and releases its snapshot between reads. */
class Pipeline implements Source, PipelineContext {
  readonly deadline;
  private slice = new Slice();
  private readonly scans = new Set<QueryScan>();
  private counted?: { scan: QueryScan; as: Counted };
  private flow: Iterator<Doc | Buffer | typeof LATER>;

  constructor(
    private readonly state: ServerState,
    private readonly body: Doc,
    stages: Stage[],
    readonly variables: Doc,
    about?: Doc[],
  ) {
    this.deadline = deadlineOf(body);
    const collection = about ? undefined : state.catalogue.get(namespaceOf(body));
    const flow = collection ? this.over(collection, stages) : flowThrough(about ?? [], stages, this);
    this.flow = flow[Symbol.iterator]();
  }

  /** Runs the part that has to happen up front. */
  async prepare(letOthersRun: () => Promise<void>): Promise<void> {
    if (!this.counted) return;
    const { scan, as } = this.counted;
    const count = await scan.count(letOthersRun);
    this.flow = (count ? [{ ...as.id, [as.field]: count }] : [])[Symbol.iterator]();
  }

  next(): Buffer | typeof LATER | undefined {
    const { value, done } = this.flow.next();
    if (done) return undefined;
    if (value === LATER || Buffer.isBuffer(value)) return value;
    const bytes = encode(value);
    if (bytes.length > MAX_DOCUMENT)
      throw new CommandError('BSONObjectTooLarge', `a document of ${bytes.length} bytes is more than ${MAX_DOCUMENT}`);
    return bytes;
  }

  pause(): void {
    for (const scan of this.scans) scan.pause();
    this.slice = new Slice();
  }

  due(): boolean {
    if (!this.slice.over()) return false;
    this.deadline?.check();
    return true;
  }

  read(name: string, filter: Doc, variables: Doc): Flow {
    const collection = this.state.catalogue.get(`${databaseOf(this.body)}.${name}`);
    return collection ? this.documents(this.scan({ ...queryOf(collection, {}, filter), let: variables })) : [];
  }

  private scan(query: Query): QueryScan {
    return new QueryScan(this.state.store, this.state.records, { ...query, deadline: this.deadline });
  }

  private over(collection: Collection, stages: Stage[]): Iterable<Doc | Buffer | typeof LATER> {
    const query: Query = { ...queryOf(collection, { hint: this.body.hint }, {}), let: this.variables };
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
    const scan = this.scan(query);
    const rest = stages.slice(taken);
    const as = countsOnly(rest);
    if (as) {
      this.counted = { scan, as };
      return [];
    }
    return rest.length ? flowThrough(this.documents(scan), rest, this) : this.bytes(scan);
  }

  private *found(scan: QueryScan): Generator<Found | typeof LATER> {
    this.scans.add(scan);
    try {
      for (let found = scan.poll(); found; found = scan.poll()) {
        yield found;
        if (this.due()) yield LATER;
      }
    } finally {
      scan.pause();
      this.scans.delete(scan);
    }
  }

  private *documents(scan: QueryScan): Flow {
    for (const found of this.found(scan)) yield found === LATER ? LATER : (found.doc ?? decode(found.bytes));
  }

  private *bytes(scan: QueryScan): Iterable<Buffer | typeof LATER> {
    for (const found of this.found(scan)) yield found === LATER ? LATER : found.bytes;
  }
}

interface Counted {
  field: string;
  id: Doc;
}

/** `$count`, or the `$group` that drivers send to count documents. */
function countsOnly(rest: Stage[]): Counted | undefined {
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
