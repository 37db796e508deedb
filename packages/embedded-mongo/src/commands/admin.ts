import { MAX_BATCH, MAX_DOCUMENT, MAX_MESSAGE, encode, joinArray } from '../values/bson.js';
import type { Collection } from '../storage/catalogue.js';
import { VERSION } from './diagnostics.js';
import { Command, ServerState, NO_CURSOR, databaseOf, documentAt, namespaceOf } from '../server/server-state.js';
import { CommandError } from '../wire/errors.js';
import { matcher } from '../query/match.js';
import { checkCreate } from '../wire/options.js';
import { cursorReply } from '../wire/wire.js';

export const hello: Command = (_state, body, { id }) => ({
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

export const create: Command = (state, body) => {
  const namespace = namespaceOf(body);
  checkCreate(body);
  return state.write(() => {
    const existing = state.catalogue.get(namespace);
    if (existing) throw new CommandError('NamespaceExists', `Collection ${namespace} already exists.`);
    state.catalogue.create(namespace);
    return {};
  });
};

export const drop: Command = (state, body) => {
  const namespace = namespaceOf(body);
  return state.write(
    () => {
      const collection = state.catalogue.get(namespace);
      if (!collection) return { ns: namespace };
      erase(state, collection);
      return { nIndexesWas: collection.indexes.length, ns: namespace };
    },
    { removes: true },
  );
};

/** Call within a write transaction. */
export function erase(state: ServerState, collection: Collection): void {
  state.catalogue.remove(collection);
  state.clear('docs', collection.id);
  for (const { id } of [...collection.indexes, ...collection.building]) state.clear('keys', id);
  state.cursors.killAll(collection.namespace);
}

export const dropDatabase: Command = (state, body) => {
  const database = databaseOf(body);
  return state.write(
    () => {
      for (const collection of state.catalogue.all())
        if (collection.namespace.startsWith(`${database}.`)) erase(state, collection);
      return { dropped: database };
    },
    { removes: true },
  );
};

export const listCollections: Command = (state, body) => {
  const database = databaseOf(body);
  const test = matcher(documentAt(body, 'filter'));
  const found = state.catalogue
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
