import { Injectable } from '@nestjs/common';
import { Config } from '../config/index.js';
import type { EmbeddedMongo } from 'avatar-chat-embedded-mongo';
import { startEmbeddedStore } from './embedded-store.js';

/** The default database name. */
const DEFAULT_DATABASE = 'avatar_chat';

/** The database server: an external one, or the embedded store, started on first use. */
@Injectable()
export class DatabaseServer {
  private embedded?: Promise<EmbeddedMongo>;

  constructor(private readonly config: Config) {}

  /** @returns the connection string, with a database name */
  async start(): Promise<string> {
    const { database } = this.config;
    if (database.kind === 'mongodb') return withDatabase(database.uri);
    this.embedded ??= startEmbeddedStore(database.path).catch((error: unknown) => {
      this.embedded = undefined;
      throw error;
    });
    return withDatabase((await this.embedded).uri);
  }

  async stop(): Promise<void> {
    await (await this.embedded)?.close();
  }
}

/** Adds the default database name to a connection string without one. */
export function withDatabase(uri: string): string {
  const [, base = uri, path = '', query = ''] = /^(mongodb(?:\+srv)?:\/\/[^/?]+)(\/[^?]*)?(\?.*)?$/.exec(uri) ?? [];
  return `${base}${path.length > 1 ? path : `/${DEFAULT_DATABASE}`}${query}`;
}
