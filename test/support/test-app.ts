import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { getConnectionToken } from '@nestjs/mongoose';
import { Test } from '@nestjs/testing';
import type { ModuleMetadata } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Connection } from 'mongoose';
import { NestLogger } from '../../src/http/index.js';
import { AppModule, Clock, Config, configureApp, createAdapter, LOGGER } from '../../src/index.js';
import { keptLogger } from './logs.js';
import { demandOwners } from './owned-commands.js';
import type { TestServer } from './servers.js';

/** A clock that stands still until it is moved. */
export class TestClock extends Clock {
  constructor(private time = Date.now()) {
    super();
  }
  now(): number {
    return this.time;
  }
  advance(milliseconds: number): void {
    this.time += milliseconds;
  }
}

/** An answer, its body parsed where it is JSON. */
export interface Answer {
  status: number;
  headers: Record<string, string | undefined>;
  body: any;
  text: string;
}

export interface Call {
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS' | 'QUERY';
  path: string;
  token?: string;
  headers?: Record<string, string>;
  /** An object is sent as JSON, a string as it is with no content type of its own. */
  body?: unknown;
}

export interface TestApp {
  app: NestFastifyApplication;
  clock: TestClock;
  config: Config;
  /** One request. An answer that is not 2xx or 3xx must have the one error body, or this throws. */
  call(call: Call): Promise<Answer>;
  /** A token for a user, by `POST /jwt`. */
  token(user_id: string, project_id?: string): Promise<string>;
  /** Drops the database and stops. */
  close(): Promise<void>;
}

export interface TestAppOptions {
  server: TestServer;
  config?: Partial<Config>;
  modules?: NonNullable<ModuleMetadata['imports']>;
  /** Its clock, where another application has the same. */
  clock?: TestClock;
  /** Sees the adapter before any route is there. */
  onAdapter?: (adapter: ReturnType<typeof createAdapter>) => void;
}

/** The whole service, as in production, on a database of its own. */
export async function createTestApp({
  server,
  config: settings,
  modules = [],
  clock = new TestClock(),
  onAdapter,
}: TestAppOptions): Promise<TestApp> {
  const dataDir = await mkdtemp(join(tmpdir(), 'avatar-chat-test-'));
  const config = new Config({
    port: 0,
    publicUrl: 'http://chat.test',
    database: { kind: 'mongodb', uri: withDatabase(server.uri, `test_${randomBytes(6).toString('hex')}`) },
    jwtSecret: randomBytes(32).toString('hex'),
    logLevel: 'silent',
    dataDir,
    catalogueFile: resolve('catalogue/default.json'),
    ...settings,
  });
  const logger = keptLogger();
  const testing = await Test.createTestingModule({ imports: [AppModule.for(config, modules)] })
    .overrideProvider(Config)
    .useValue(config)
    .overrideProvider(Clock)
    .useValue(clock)
    .overrideProvider(LOGGER)
    .useValue(logger)
    .compile();
  const adapter = createAdapter(config);
  const faults: string[] = [];
  demandErrorBodies(adapter, faults);
  onAdapter?.(adapter);
  const app = testing.createNestApplication<NestFastifyApplication>(adapter, { logger: new NestLogger(logger) });
  await adapter.init(); // as NestFactory does
  configureApp(app);
  demandOwners(app.get<Connection>(getConnectionToken()));
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
  const call = (request: Call) => inject(app, request);
  return {
    app,
    clock,
    config,
    call,
    async token(user_id, project_id) {
      const { body } = await call({ method: 'POST', path: '/jwt', body: { user_id, project_id } });
      return body.jwt as string;
    },
    async close() {
      await app
        .get<Connection>(getConnectionToken())
        .dropDatabase()
        .catch(() => undefined);
      // Or it would give those who hold them time to go elsewhere.
      app.getHttpServer().closeAllConnections();
      await app.close();
      await rm(dataDir, { recursive: true, force: true });
      expect(faults).toEqual([]);
    },
  };
}

async function inject(
  app: NestFastifyApplication,
  { method = 'GET', path, token, headers = {}, body }: Call,
): Promise<Answer> {
  const json = typeof body === 'object' && body !== null;
  const response = await app.inject({
    method,
    url: path,
    headers: {
      ...(json ? { 'content-type': 'application/json' } : {}),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    payload: json ? JSON.stringify(body) : (body as string | undefined),
  });
  const answer: Answer = {
    status: response.statusCode,
    headers: response.headers as Record<string, string>,
    text: response.payload,
    body:
      /^application\/json\b/.test(String(response.headers['content-type'])) && response.payload
        ? JSON.parse(response.payload)
        : undefined,
  };
  if (answer.status >= 400 && method !== 'HEAD') assertErrorBody(answer);
  return answer;
}

/** Notes every refusal, to whomever and by whatever way it goes, that has not the one error body. */
function demandErrorBodies(adapter: ReturnType<typeof createAdapter>, faults: string[]): void {
  adapter.getInstance().addHook('onSend', async ({ id, method, url }, reply, payload) => {
    if (reply.statusCode < 400 || method === 'HEAD') return;
    try {
      const headers = { 'x-request-id': id };
      assertErrorBody({ status: reply.statusCode, headers, text: '', body: JSON.parse(payload as string) });
    } catch {
      faults.push(`${method} ${url}: ${reply.statusCode} ${String(payload)}`);
    }
  });
}

/** Throws unless an answer has the one error body, and nothing more. */
export function assertErrorBody({ status, headers, body }: Answer): void {
  expect(body).toEqual({
    result: 'failure',
    status,
    error: expect.stringMatching(/^[a-z][a-z0-9_]*$/),
    message: expect.stringMatching(/^[A-Za-z].{8,}\.$/),
    request_id: headers['x-request-id'],
  });
  expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
}

function withDatabase(uri: string, database: string): string {
  const url = new URL(uri.replace(/^mongodb/, 'http'));
  url.pathname = `/${database}`;
  url.searchParams.set('monitorCommands', 'true');
  return url.href.replace(/^http/, 'mongodb');
}
