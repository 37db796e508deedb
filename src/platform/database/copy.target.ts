import { mkdirSync, realpathSync } from 'node:fs';
import { mongo } from 'mongoose';
import { createEmbeddedMongo } from 'avatar-chat-embedded-mongo';
import type { DatabaseLocation } from 'avatar-chat-runtime';
import { DatabaseRefusedError, preparing } from './database-refused.js';
import { withDatabase } from './database.server.js';

const TIMEOUT_MS = 5000;

/** The target of a copy. */
export interface CopyTarget {
  db: mongo.Db;
  close(): Promise<void>;
}

/**
 * Opens the target database of a copy. An embedded store is created if there is none.
 *
 * @param source connection string of the source
 * @throws DatabaseRefusedError, whose message never holds the connection string
 */
export async function openTarget(location: DatabaseLocation, source: DatabaseLocation): Promise<CopyTarget> {
  if (location.kind === 'mongodb') return connect(location.uri);
  if (location.path === ':memory:')
    throw new DatabaseRefusedError('The target must be a database that keeps its data.');
  mkdirSync(location.path, { recursive: true });
  if (source.kind === 'embedded' && source.path !== ':memory:' && isSame(location.path, source.path))
    throw new DatabaseRefusedError('The target is the database that is to be copied.');
  const store = await createEmbeddedMongo({ path: location.path });
  try {
    const { db, close } = await connect(store.uri);
    return { db, close: () => close().finally(() => store.close()) };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function connect(uri: string): Promise<CopyTarget> {
  const client = clientFor(uri);
  try {
    await preparing('to be copied to', async () => client.db().command({ ping: 1 }));
    return { db: client.db(), close: () => client.close() };
  } catch (error) {
    await client.close();
    // Other messages of the driver may quote the connection string.
    throw error instanceof DatabaseRefusedError ? error : new DatabaseRefusedError('The target does not answer.');
  }
}

function clientFor(uri: string): mongo.MongoClient {
  const timeouts = { serverSelectionTimeoutMS: TIMEOUT_MS, connectTimeoutMS: TIMEOUT_MS };
  try {
    return new mongo.MongoClient(withDatabase(uri), { appName: 'avatar-chat-service', ...timeouts });
  } catch {
    throw new DatabaseRefusedError('The target is not a connection string that can be used.');
  }
}

function isSame(one: string, other: string): boolean {
  return realpathSync(one) === realpathSync(other);
}
