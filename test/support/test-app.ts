import { randomBytes } from 'node:crypto';
import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import type { Owner } from '../../src/auth/index.js';
import { createTestApp as createApp, type TestApp, type TestAppOptions as Options } from '../../src/testing/index.js';
import { assertBounded } from './bounded-commands.js';
import { fileLogger } from './logs.js';
import { assertOwners } from './owned-commands.js';
import type { TestServer } from './servers.js';

export type TestAppOptions = Omit<Options, 'logger' | 'onConnection'> & { server: TestServer };

/** The test application of `src/testing` on one of the servers, with this suite's checks for all of its tests. */
export function createTestApp({ server, config, ...options }: TestAppOptions): Promise<TestApp> {
  const uri = withDatabase(server.uri, `test_${randomBytes(6).toString('hex')}`);
  return createApp({
    ...options,
    config: { database: { kind: 'mongodb', uri }, ...config },
    logger: fileLogger(),
    onConnection: (connection) => {
      assertOwners(connection);
      assertBounded(connection);
    },
  });
}

/** Starts one application per server for a spec file, and closes them at its end. */
export function oneAppPerServer(
  options: Omit<TestAppOptions, 'server'> = {},
): (server: TestServer) => Promise<TestApp> {
  /** By the name of the server. */
  const started = new Map<string, Promise<TestApp>>();
  afterAll(async () => {
    for (const app of started.values()) await (await app).close();
  });
  return (server) => {
    const app = started.get(server.name) ?? createTestApp({ server, ...options });
    started.set(server.name, app);
    return app;
  };
}

/** The messages of a user as the database has them, oldest first. */
export const storedMessages = ({ app }: TestApp, owner: Owner) =>
  app
    .get<Connection>(getConnectionToken())
    .collection('messages')
    .find({ ...owner })
    .sort({ date: 1 })
    .toArray();

function withDatabase(uri: string, database: string): string {
  const url = new URL(uri.replace(/^mongodb/, 'http'));
  url.pathname = `/${database}`;
  url.searchParams.set('monitorCommands', 'true');
  return url.href.replace(/^http/, 'mongodb');
}
