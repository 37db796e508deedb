/**
 * Runs the MongoDB driver specifications' unified tests against embedded-mongo, through the Node driver. The test files
 * (github.com/mongodb/specifications) are not part of this project.
 *
 *   node packages/embedded-mongo/test/specifications.mjs --folder …/specifications/source [--only crud,gridfs] [--file NAME]
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { EJSON } from 'bson';
import { mongo } from 'mongoose';
import { createEmbeddedMongo } from '../dist/index.js';

const { values } = parseArgs({
  options: {
    folder: { type: 'string' },
    only: { type: 'string', default: 'crud,gridfs,index-management,collection-management,run-command' },
    file: { type: 'string' },
    uri: { type: 'string' },
  },
});
if (!values.folder) throw new Error('--folder is missing: the directory of the specifications');
const { folder: specifications } = values;
const server = values.uri
  ? { uri: values.uri, close: () => undefined }
  : await createEmbeddedMongo({ path: ':memory:' });
const admin = await new mongo.MongoClient(server.uri).connect();
const VERSION = '7.0.0';

class Skip extends Error {}
class Fault extends Error {}
const fail = (message) => {
  throw new Fault(message);
};
const show = (value) => (EJSON.stringify(value) ?? 'nothing').slice(0, 300);

/** Whether `actual` matches the expectation, by the rules of the unified format. */
function match(expected, actual, entities, root = false, path = '') {
  if (actual instanceof Map) actual = Object.fromEntries(actual);
  const wrong = (why) => fail(`${path || 'result'}: ${why}; expected ${show(expected)}, got ${show(actual)}`);
  if (
    expected !== null &&
    typeof expected === 'object' &&
    !Array.isArray(expected) &&
    !expected._bsontype &&
    !(expected instanceof Date)
  ) {
    const [operator, argument] = Object.entries(expected)[0] ?? [];
    switch (operator) {
      case '$$exists':
        return (actual !== undefined) === argument || wrong('exists');
      case '$$unsetOrMatches':
        return actual === undefined || match(argument, actual, entities, root, path);
      case '$$type': {
        const types = [argument].flat();
        return types.some((type) => typeIs(type, actual)) || wrong(`type ${types}`);
      }
      case '$$matchesEntity':
        return match(entities.get(argument), actual, entities, false, path);
      case '$$matchesHexBytes':
        return Buffer.from(actual).toString('hex') === argument.toLowerCase() || wrong('bytes');
      case '$$lte':
        return actual <= argument || wrong('at most');
      case '$$sessionLsid':
        return true;
      case '$$matchAsDocument':
        return match(argument, EJSON.parse(String(actual)), entities, false, path);
      case '$$matchAsRoot':
        return match(argument, actual, entities, true, path);
    }
    if (actual === null || typeof actual !== 'object') wrong('a document');
    for (const [key, value] of Object.entries(expected)) {
      if (actual[key] === undefined && !(value && typeof value === 'object' && Object.keys(value)[0]?.startsWith('$$')))
        wrong(`${key} is missing`);
      match(value, actual[key], entities, false, `${path}.${key}`);
    }
    if (!root)
      for (const key of Object.keys(actual))
        if (!(key in expected) && actual[key] !== undefined) wrong(`${key} is unexpected`);
    return true;
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) wrong('length');
    return expected.every((value, i) => match(value, actual[i], entities, root, `${path}[${i}]`));
  }
  const plain = (value) =>
    value?._bsontype && typeof value.valueOf() === 'number'
      ? value.valueOf()
      : value?._bsontype === 'Long'
        ? value.toNumber()
        : value;
  const [a, b] = [plain(expected), plain(actual)];
  return (typeof a === 'object' ? show(a) === show(b) : a === b) || wrong('value');
}
const typeIs = (type, value) =>
  ({
    string: () => typeof value === 'string',
    int: () => typeof value === 'number',
    long: () => typeof value === 'number' || value?._bsontype === 'Long',
    double: () => typeof value === 'number',
    number: () => typeof value === 'number',
    object: () => typeof value === 'object',
    array: () => Array.isArray(value),
    objectId: () => value?._bsontype === 'ObjectId',
    bool: () => typeof value === 'boolean',
    date: () => value instanceof Date,
    binData: () => value?._bsontype === 'Binary',
    null: () => value === null,
    minKey: () => false,
  })[type]?.() ?? false;

const compare = (a, b) =>
  a
    .split('.')
    .map(Number)
    .reduce((order, part, i) => order || part - (b.split('.').map(Number)[i] ?? 0), 0);
function required(list) {
  if (!list) return;
  const met = list.some(
    ({
      minServerVersion = '0',
      maxServerVersion = '99',
      topologies = ['single'],
      serverless,
      auth,
      serverParameters,
      csfle,
    }) =>
      compare(VERSION, minServerVersion) >= 0 &&
      compare(VERSION, maxServerVersion) <= 0 &&
      topologies.includes('single') &&
      serverless !== 'require' &&
      !auth &&
      !serverParameters &&
      !csfle,
  );
  if (!met) throw new Skip('is for other versions or deployments of MongoDB');
}

async function createEntities(list, entities) {
  for (const entry of list) {
    const [kind, spec] = Object.entries(entry)[0];
    if (kind === 'client') {
      if (spec.serverApi || spec.autoEncryptOpts) throw new Skip('needs the stable API or encryption');
      const { appname, ...options } = spec.uriOptions ?? {};
      const client = new mongo.MongoClient(server.uri, {
        monitorCommands: true,
        ...options,
        ...(appname && { appName: appname }),
      });
      const events = [];
      const ignored = new Set([
        'hello',
        'ismaster',
        'isMaster',
        'configureFailPoint',
        'endSessions',
        ...(spec.ignoreCommandMonitoringEvents ?? []),
      ]);
      for (const name of spec.observeEvents ?? []) {
        if (!name.startsWith('command')) continue;
        client.on(name.replace('Event', ''), (event) => ignored.has(event.commandName) || events.push({ name, event }));
      }
      await client.connect();
      entities.set(spec.id, Object.assign(client, { seen: events }));
    } else if (kind === 'database')
      entities.set(spec.id, entities.get(spec.client).db(spec.databaseName, options(spec.databaseOptions)));
    else if (kind === 'collection')
      entities.set(
        spec.id,
        entities.get(spec.database).collection(spec.collectionName, options(spec.collectionOptions)),
      );
    else if (kind === 'session')
      entities.set(spec.id, entities.get(spec.client).startSession(options(spec.sessionOptions)));
    else if (kind === 'bucket')
      entities.set(spec.id, new mongo.GridFSBucket(entities.get(spec.database), options(spec.bucketOptions)));
    else throw new Skip(`needs an entity of type ${kind}`);
  }
}
const options = ({ readConcern, writeConcern, ...rest } = /** @type {any} */ ({})) => ({
  ...rest,
  ...(readConcern && { readConcern }),
  ...(writeConcern && { writeConcern }),
});

const finished = (stream, event) => new Promise((resolve, reject) => stream.once('error', reject).once(event, resolve));
const files = (bucket) => bucket.find({}).toArray();
const read = async (stream) => {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
};
const model = (request) => {
  const [[kind, { document, ...rest }]] = Object.entries(request);
  return { [kind]: kind === 'insertOne' ? { document } : rest };
};

/** The operations of the tests, by name. */
const operations = {
  find: (c, { filter, ...o }) => c.find(filter, o).toArray(),
  findOne: (c, { filter, ...o }) => c.findOne(filter, o),
  insertOne: (c, { document, ...o }) => c.insertOne(document, o),
  insertMany: (c, { documents, ...o }) => c.insertMany(documents, o),
  updateOne: (c, { filter, update, ...o }) => c.updateOne(filter, update, o),
  updateMany: (c, { filter, update, ...o }) => c.updateMany(filter, update, o),
  replaceOne: (c, { filter, replacement, ...o }) => c.replaceOne(filter, replacement, o),
  deleteOne: (c, { filter, ...o }) => c.deleteOne(filter, o),
  deleteMany: (c, { filter, ...o }) => c.deleteMany(filter, o),
  findOneAndUpdate: (c, { filter, update, ...o }) => c.findOneAndUpdate(filter, update, after(o)),
  findOneAndReplace: (c, { filter, replacement, ...o }) => c.findOneAndReplace(filter, replacement, after(o)),
  findOneAndDelete: (c, { filter, ...o }) => c.findOneAndDelete(filter, o),
  bulkWrite: (c, { requests, ...o }) => c.bulkWrite(requests.map(model), o),
  aggregate: (c, { pipeline, ...o }) => c.aggregate(pipeline, o).toArray(),
  countDocuments: (c, { filter, ...o }) => c.countDocuments(filter, o),
  count: (c, { filter, ...o }) => c.count(filter, o),
  estimatedDocumentCount: (c, o) => c.estimatedDocumentCount(o),
  distinct: (c, { fieldName, filter, ...o }) => c.distinct(fieldName, filter, o),
  createIndex: (c, { keys, ...o }) => c.createIndex(keys, o),
  dropIndex: (c, { name, ...o }) => c.dropIndex(name, o),
  dropIndexes: (c, o) => c.dropIndexes(o),
  listIndexes: (c, o) => c.listIndexes(o).toArray(),
  listIndexNames: async (c) => (await c.listIndexes().toArray()).map(({ name }) => name),
  rename: (c, { to, id, newFilename, ...o }) =>
    c instanceof mongo.GridFSBucket ? c.rename(id, newFilename) : c.rename(to, o),
  createCollection: (db, { collection, ...o }) => db.createCollection(collection, o).then(() => undefined),
  dropCollection: (db, { collection, ...o }) =>
    db
      .dropCollection(collection, o)
      .catch((error) => (error.code === 26 ? false : Promise.reject(error)))
      .then(() => undefined),
  listCollections: (db, { filter, ...o }) => db.listCollections(filter ?? {}, o).toArray(),
  listCollectionNames: async (db, { filter }) =>
    (await db.listCollections(filter ?? {}, { nameOnly: true }).toArray()).map(({ name }) => name),
  listDatabases: (client, o) => client.db('admin').command({ listDatabases: 1, ...o }),
  runCommand: (db, { command, commandName, readPreference, session, ...o }) => db.command(command, { ...o, session }),
  modifyCollection: () => {
    throw new Skip('needs collMod, which is not supported');
  },
  upload: async (bucket, { filename, source, chunkSizeBytes, metadata, id }) => {
    const stream = bucket.openUploadStream(filename, { chunkSizeBytes, metadata, ...(id && { id }) });
    const done = finished(stream, 'finish');
    stream.end(Buffer.from(source.$$hexBytes, 'hex'));
    await done;
    return stream.id;
  },
  download: (bucket, { id }) => read(bucket.openDownloadStream(id)),
  downloadByName: (bucket, { filename, ...o }) => read(bucket.openDownloadStreamByName(filename, o)),
  delete: (bucket, { id }) => bucket.delete(id),
  deleteByName: async (bucket, { filename }) => {
    const found = (await files(bucket)).filter((file) => file.filename === filename);
    if (!found.length) throw new Error(`file not found: ${filename}`);
    for (const { _id } of found) await bucket.delete(_id);
  },
  drop: (bucket) => bucket.drop(),
  endSession: (session) => session.endSession(),
};
const after = ({ returnDocument, ...o } = /** @type {any} */ ({})) => ({
  ...o,
  ...(returnDocument && { returnDocument: returnDocument.toLowerCase() }),
});

const test = {
  async assertIndexExists({ databaseName, collectionName, indexName }) {
    const found = await admin
      .db(databaseName)
      .collection(collectionName)
      .listIndexes()
      .toArray()
      .catch(() => []);
    if (!found.some(({ name }) => name === indexName)) fail(`no index ${indexName}`);
  },
  async assertIndexNotExists({ databaseName, collectionName, indexName }) {
    const found = await admin
      .db(databaseName)
      .collection(collectionName)
      .listIndexes()
      .toArray()
      .catch(() => []);
    if (found.some(({ name }) => name === indexName)) fail(`the index ${indexName} is there`);
  },
  async assertCollectionExists({ databaseName, collectionName }) {
    if (!(await admin.db(databaseName).listCollections({ name: collectionName }).toArray()).length)
      fail(`no collection ${collectionName}`);
  },
  async assertCollectionNotExists({ databaseName, collectionName }) {
    if ((await admin.db(databaseName).listCollections({ name: collectionName }).toArray()).length)
      fail(`the collection ${collectionName} is there`);
  },
  assertEventCount: () => undefined,
  failPoint: () => {
    throw new Skip('needs fail points, which only MongoDB supports');
  },
};

async function operate(step, entities) {
  const given = { ...step.arguments };
  if (typeof given.session === 'string') given.session = entities.get(given.session);
  for (const name of ['readConcern', 'readPreference'])
    if (given[name] && name === 'readPreference') given[name] = given[name].mode;
  if (step.object === 'testRunner') {
    if (!test[step.name]) throw new Skip(`needs the operation ${step.name} of the runner`);
    return test[step.name](given);
  }
  if (step.name === 'createFindCursor' || step.name === 'createCommandCursor' || step.name === 'runCursorCommand') {
    if (step.name !== 'createFindCursor') throw new Skip('needs command cursors');
    const { filter, ...o } = given;
    entities.set(step.saveResultAsEntity, entities.get(step.object).find(filter, o));
    return undefined;
  }
  if (step.name === 'iterateUntilDocumentOrError' || step.name === 'iterateOnce')
    return entities.get(step.object).next();
  if (step.name === 'close') return entities.get(step.object).close();
  const run = operations[step.name];
  if (!run) throw new Skip(`needs the operation ${step.name}`);
  let result;
  let error;
  try {
    result = await run(entities.get(step.object), given);
  } catch (caught) {
    if (caught instanceof Skip) throw caught;
    error = caught;
  }
  if (step.expectError) return expectError(step.expectError, error, entities);
  if (error && !step.ignoreResultAndError) throw error;
  if (step.saveResultAsEntity) entities.set(step.saveResultAsEntity, result);
  if ('expectResult' in step && !step.ignoreResultAndError) {
    const actual = result === undefined && step.expectResult === null ? null : result;
    match(step.expectResult, normal(actual, step.expectResult), entities, true);
  }
  return result;
}

/** The driver's results under the names of the specifications. */
function normal(result, expected) {
  if (Buffer.isBuffer(result) || result === null || typeof result !== 'object' || Array.isArray(result)) return result;
  if (result.insertedIds && result.upsertedIds)
    return {
      ...result,
      insertedCount: result.insertedCount,
      matchedCount: result.matchedCount,
      modifiedCount: result.modifiedCount,
      deletedCount: result.deletedCount,
      upsertedCount: result.upsertedCount,
      upsertedIds: result.upsertedIds,
      insertedIds: result.insertedIds,
    };
  if (result.upsertedId === null && expected && !('upsertedId' in expected))
    return { ...result, upsertedId: undefined };
  return result;
}

function expectError(expected, error, entities) {
  if (!error) fail('an error was expected');
  const isServer = error instanceof mongo.MongoServerError;
  if (expected.isClientError === true && isServer) fail(`an error of the client was expected, got ${error.message}`);
  if (expected.isClientError === false && !isServer) fail(`an error of the server was expected, got ${error.message}`);
  if (expected.errorCode !== undefined && error.code !== expected.errorCode)
    fail(`code ${expected.errorCode} expected, got ${error.code}`);
  if (expected.errorCodeName && error.codeName !== expected.errorCodeName)
    fail(`${expected.errorCodeName} expected, got ${error.codeName}`);
  if (expected.errorContains && !error.message.toLowerCase().includes(expected.errorContains.toLowerCase()))
    fail(`"${expected.errorContains}" expected in: ${error.message}`);
  if (expected.errorResponse) match(expected.errorResponse, error.errorResponse ?? error, entities, true);
  if (expected.expectResult) match(expected.expectResult, normal(error.result, expected.expectResult), entities, true);
}

function expectEvents(lists, entities) {
  for (const { client, events, eventType = 'command', ignoreExtraEvents } of lists) {
    if (eventType !== 'command') continue;
    const seen = entities.get(client).seen;
    if (ignoreExtraEvents ? seen.length < events.length : seen.length !== events.length)
      fail(`${events.length} events expected, got ${seen.length}: ${seen.map(({ event }) => event.commandName)}`);
    for (const [i, expected] of events.entries()) {
      const [[name, wanted]] = Object.entries(expected);
      if (seen[i].name !== name) fail(`event ${i}: ${name} expected, got ${seen[i].name}`);
      if (wanted.commandName && wanted.commandName !== seen[i].event.commandName)
        fail(`event ${i}: ${wanted.commandName} expected`);
      if (wanted.command) match(wanted.command, seen[i].event.command, entities, true, `event ${i}`);
      if (wanted.reply) match(wanted.reply, seen[i].event.reply, entities, true, `event ${i} reply`);
    }
  }
}

async function runTest(file, one) {
  if (one.skipReason) throw new Skip('is marked as skipped');
  required(file.runOnRequirements);
  required(one.runOnRequirements);
  const entities = new Map();
  try {
    for (const { databaseName, collectionName, documents } of file.initialData ?? []) {
      const collection = admin.db(databaseName).collection(collectionName);
      await collection.drop().catch(() => undefined);
      if (documents.length) await collection.insertMany(documents);
      else await admin.db(databaseName).createCollection(collectionName);
    }
    await createEntities(file.createEntities ?? [], entities);
    for (const step of one.operations) await operate(step, entities);
    expectEvents(one.expectEvents ?? [], entities);
    for (const { databaseName, collectionName, documents } of one.outcome ?? []) {
      match(
        documents,
        await admin.db(databaseName).collection(collectionName).find().sort({ _id: 1 }).toArray(),
        entities,
        false,
        'outcome',
      );
    }
  } finally {
    for (const entity of entities.values()) if (entity instanceof mongo.MongoClient) await entity.close();
  }
}

/** Reasons for failures that are not faults of the server. The README lists them. */
/** @type {[RegExp, string][]} */
const REASONS = [
  [/collations are not supported/, 'collations are refused'],
  [/'\$(out|merge)'|code 11000 expected, got 40324/, '$out and $merge are refused'],
  [
    /(viewOn|clusteredIndex|timeseries|capped) collections are not supported/,
    'no views, clustered, time series or capped collections',
  ],
  [/listLocalSessions/, '$listLocalSessions is refused'],
  [/bypassDocumentValidation is missing/, 'the driver does not send bypassDocumentValidation: false'],
  [/inserting _id with type null/, 'the driver replaces an _id of null'],
  [/final chunk is missing/, 'the driver does not notice a missing last chunk'],
];
const explained = new Map();
const skipped = new Map();
const failed = [];
for (const suite of values.only.split(',')) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const folders = [join(specifications, suite, 'tests', 'unified'), join(specifications, suite, 'tests')];
  const folder = folders.find((one) => {
    try {
      return readdirSync(one).some((name) => name.endsWith('.json'));
    } catch {
      return false;
    }
  });
  for (const name of folder ? readdirSync(folder).filter((one) => one.endsWith('.json')) : []) {
    if (values.file && !name.includes(values.file)) continue;
    const file = EJSON.parse(readFileSync(join(String(folder), name), 'utf8'));
    for (const one of file.tests ?? []) {
      try {
        await runTest(file, one);
        counts.passed++;
      } catch (error) {
        if (error instanceof Skip) {
          counts.skipped++;
          skipped.set(error.message, (skipped.get(error.message) ?? 0) + 1);
        } else {
          counts.failed++;
          const text = `${suite}/${name}: ${one.description}\n    ${error instanceof Error ? error.message : error}`;
          const reason = REASONS.find(([pattern]) => pattern.test(text))?.[1];
          if (reason) explained.set(reason, (explained.get(reason) ?? 0) + 1);
          else failed.push(text);
        }
      }
    }
  }
  console.log(
    `${suite.padEnd(24)} ${counts.passed} of ${counts.passed + counts.failed} passed, ${counts.skipped} not run`,
  );
}
for (const [reason, count] of [...skipped].sort((a, b) => b[1] - a[1])) console.log(`  ${count} not run: ${reason}`);
for (const [reason, count] of [...explained].sort((a, b) => b[1] - a[1])) console.log(`  ${count} failed: ${reason}`);
for (const one of failed) console.log(`FAILED ${one}`);
await admin.close();
await server.close();
process.exitCode = failed.length ? 1 : 0;
