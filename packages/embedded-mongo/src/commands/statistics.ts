import { hostname } from 'node:os';
import { Doc, isDocument, isNumber, toNumber } from '../values/bson.js';
import type { Collection } from '../storage/catalogue.js';
import { Command, ServerState, databaseOf, documentAt, namespaceOf } from '../server/server-state.js';
import { CommandError } from '../wire/errors.js';
import { type Pace, inSlices, paceOf } from '../server/in-slices.js';
import { matcher } from '../query/match.js';
import { unsupported } from '../wire/options.js';

/** The sizes of a collection's documents and of its index entries, by index name, in bytes. */
interface Sizes {
  count: number;
  size: number;
  storageSize: number;
  indexSizes: Record<string, number>;
}

/** Computed on request: reads the length of every document and every index entry. */
async function measure(state: ServerState, collection: Collection, pace: Pace): Promise<Sizes> {
  const { docs } = state.store;
  const sizes: Sizes = { count: 0, size: 0, storageSize: 0, indexSizes: {} };
  const add = (keys: Buffer[]): void => {
    for (const key of keys) {
      const record = state.store.docs.getBinaryFast(key) && (docs as unknown as { lastSize: number }).lastSize;
      if (!record) continue;
      sizes.count++;
      sizes.size += record - CHECKSUM;
      sizes.storageSize += record + key.length;
    }
  };
  await inSlices(state, 'docs', collection.id, pace, add);
  for (const { id, spec } of collection.indexes) {
    let bytes = 0;
    await inSlices(state, 'keys', id, pace, (keys) => {
      bytes += sum(keys.map(({ length }) => length));
    });
    sizes.indexSizes[spec.name] = bytes;
  }
  return sizes;
}

/** Bytes of the checksum before each document. */
const CHECKSUM = 4;

function scaleOf({ scale }: Doc): number {
  if (scale === undefined || scale === null) return 1;
  const factor = Math.trunc(toNumber(scale));
  if (!isNumber(scale) || !(factor > 0))
    throw new CommandError('BadValue', "BSON field 'scale' must be a number from 1 up");
  return factor;
}

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);

function shown({ count, size, storageSize, indexSizes }: Sizes, scale: number): Doc {
  const scaled = (bytes: number): number => Math.floor(bytes / scale);
  const totalIndexSize = sum(Object.values(indexSizes));
  return {
    size: scaled(size),
    count,
    ...(count && { avgObjSize: Math.floor(size / count) }),
    storageSize: scaled(storageSize),
    capped: false,
    nindexes: Object.keys(indexSizes).length,
    indexBuilds: [],
    totalIndexSize: scaled(totalIndexSize),
    totalSize: scaled(storageSize + totalIndexSize),
    indexSizes: Object.fromEntries(Object.entries(indexSizes).map(([name, bytes]) => [name, scaled(bytes)])),
    scaleFactor: scale,
  };
}

const NOTHING: Sizes = { count: 0, size: 0, storageSize: 0, indexSizes: {} };

export const collStats: Command = async (state, body, connection) => {
  const ns = namespaceOf(body);
  const scale = scaleOf(body);
  const collection = state.catalogue.get(ns);
  return {
    ns,
    ...shown(collection ? await measure(state, collection, paceOf(state, body, connection)) : NOTHING, scale),
  };
};

async function ofDatabase(state: ServerState, database: string, pace: Pace): Promise<Sizes[]> {
  const all: Sizes[] = [];
  for (const collection of state.catalogue.all())
    if (collection.namespace.startsWith(`${database}.`)) all.push(await measure(state, collection, pace));
  return all;
}

const indexBytes = ({ indexSizes }: Sizes): number => sum(Object.values(indexSizes));

export const dbStats: Command = async (state, body, connection) => {
  const db = databaseOf(body);
  const scale = scaleOf(body);
  const all = await ofDatabase(state, db, paceOf(state, body, connection));
  const total = (of: (sizes: Sizes) => number): number => sum(all.map(of));
  const scaled = (of: (sizes: Sizes) => number): number => Math.floor(total(of) / scale);
  const objects = total(({ count }) => count);
  return {
    db,
    collections: all.length,
    views: 0,
    objects,
    avgObjSize: objects ? total(({ size }) => size) / objects : 0,
    dataSize: scaled(({ size }) => size),
    storageSize: scaled(({ storageSize }) => storageSize),
    indexes: total(({ indexSizes }) => Object.keys(indexSizes).length),
    indexSize: scaled(indexBytes),
    totalSize: scaled((sizes) => sizes.storageSize + indexBytes(sizes)),
    scaleFactor: scale,
  };
};

export const listDatabases: Command = async (state, body, connection) => {
  const names = [...new Set(state.catalogue.all().map(({ namespace }) => namespace.split('.')[0]!))].sort();
  const test = matcher(documentAt(body, 'filter'));
  if (body.nameOnly) return { databases: names.map((name) => ({ name })).filter(test) };
  const databases: Doc[] = [];
  for (const name of names) {
    const all = await ofDatabase(state, name, paceOf(state, body, connection));
    const sizeOnDisk = sum(all.map((sizes) => sizes.storageSize + indexBytes(sizes)));
    databases.push({ name, sizeOnDisk, empty: false });
  }
  const found = databases.filter(test);
  const totalSize = sum(found.map(({ sizeOnDisk }) => sizeOnDisk));
  return { databases: found, totalSize };
};

/** The reply of a leading pipeline stage that describes a collection rather than its documents. */
export async function statisticsOf(
  state: ServerState,
  namespace: string,
  stage: unknown,
  pace: Pace,
): Promise<Doc[] | undefined> {
  const [name, argument] = isDocument(stage) ? (Object.entries(stage)[0] ?? []) : [];
  if (name !== '$collStats') return undefined;
  if (!isDocument(argument)) throw new CommandError('TypeMismatch', 'the argument of $collStats must be an object');
  const other = Object.keys(argument).find((key) => key !== 'storageStats' && key !== 'count');
  if (other) throw unsupported(`'${other}' of $collStats is`, 'CommandNotSupported');
  const collection = state.catalogue.get(namespace);
  if (!collection) throw new CommandError('NamespaceNotFound', `Collection [${namespace}] not found.`);
  const head = { ns: namespace, host: hostname(), localTime: new Date() };
  const sizes = await measure(state, collection, pace);
  return [
    {
      ...head,
      ...(argument.storageStats && { storageStats: shown(sizes, scaleOf(argument.storageStats)) }),
      ...(argument.count && { count: sizes.count }),
    },
  ];
}
