import { MAX_BATCH, MAX_DOCUMENT, MAX_MESSAGE, encode, joinArray } from './bson.js';
import type { Collection } from './catalogue.js';
import { VERSION } from './diagnostics.js';
import { Command, Engine, NO_CURSOR, databaseOf, documentAt, namespaceOf } from './engine.js';
import { CommandError } from './errors.js';
import { matcher } from './match.js';
import { checkCreate } from './options.js';
import { cursorReply } from './wire.js';

export const hello: Command = (_engine, body, { id }) => ({
  helloOk: true,
  ...(body.hello ? { isWritablePrimary: true } : { ismaster: true }),
  maxBsonObjectSize: MAX_DOCUMENT,
  maxMessageSizeBytes: MAX_MESSAGE,
  maxWriteBatchSize: MAX_BATCH,
  localTime: new Date(),
  logicalSessionTimeoutMinutes: 30,
  connectionId: id,
  minWireVersion: 0,
  maxWireVersion: 21,
  readOnly: false,
});

export const buildInfo: Command = () => ({
  version: VERSION,
  versionArray: [...VERSION.split('.').map(Number), 0],
  gitVersion: 'embedded-mongo',
  modules: ['embedded-mongo'],
  storageEngines: ['lmdb'],
  bits: 64,
  debug: false,
  maxBsonObjectSize: MAX_DOCUMENT,
});

export const nothing: Command = () => ({});

export const create: Command = (engine, body) => {
  const namespace = namespaceOf(body);
  checkCreate(body);
  return engine.write(() => {
    const existing = engine.catalogue.get(namespace);
    if (existing) throw new CommandError('NamespaceExists', `Collection ${namespace} already exists.`);
    engine.catalogue.create(namespace);
    return {};
  });
};

export const drop: Command = (engine, body) => {
  const namespace = namespaceOf(body);
  return engine.write(
    () => {
      const collection = engine.catalogue.get(namespace);
      if (!collection) return { ns: namespace };
      erase(engine, collection);
      return { nIndexesWas: collection.indexes.length, ns: namespace };
    },
    { removes: true },
  );
};

/** Call within a write transaction. */
export function erase(engine: Engine, collection: Collection): void {
  engine.catalogue.remove(collection);
  engine.clear('docs', collection.id);
  for (const { id } of [...collection.indexes, ...collection.building]) engine.clear('keys', id);
  engine.cursors.killAll(collection.namespace);
}

export const dropDatabase: Command = (engine, body) => {
  const database = databaseOf(body);
  return engine.write(
    () => {
      for (const collection of engine.catalogue.all())
        if (collection.namespace.startsWith(`${database}.`)) erase(engine, collection);
      return { dropped: database };
    },
    { removes: true },
  );
};

export const listCollections: Command = (engine, body) => {
  const database = databaseOf(body);
  const test = matcher(documentAt(body, 'filter'));
  const found = engine.catalogue
    .all()
    .filter(({ namespace }) => namespace.startsWith(`${database}.`))
    .map(({ namespace, uuid, options, indexes }) => ({
      name: namespace.slice(database.length + 1),
      type: 'collection',
      options,
      info: { readOnly: false, uuid },
      idIndex: indexes[0]!.spec,
    }))
    .filter(test);
  const shown = body.nameOnly ? found.map(({ name, type }) => ({ name, type })) : found;
  return cursorReply('firstBatch', joinArray(shown.map(encode)), NO_CURSOR, `${database}.$cmd.listCollections`);
};
