import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClassProvider, FactoryProvider, ModuleMetadata, ValueProvider } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { Connection } from 'mongoose';
import { AppModule } from '../app.module.js';
import { configureApp } from '../app.js';
import { configFrom, type ConfigValues } from 'avatar-chat-settings';
import { Clock, Config } from '../platform/config/index.js';
import { BackgroundTimes } from '../platform/background/index.js';
import { DatabaseTimeouts } from '../platform/database/index.js';
import { createAdapter } from '../platform/http/index.js';
import { createLogger, LOGGER, type Logger, NestLogger } from '../platform/logging/index.js';
import { TestClock } from './test-clock.js';

/** A response, with its body parsed if it is JSON. */
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
  /** An object is sent as JSON, `FormData` as a form, a string unchanged and without a content type. */
  body?: unknown;
}

export interface TestApp {
  app: NestFastifyApplication;
  clock: TestClock;
  config: Config;
  /** Sends a request. Throws if a response that is not 2xx or 3xx lacks the common error body. */
  call(call: Call): Promise<Answer>;
  /** Obtains a token for a user, by `POST /jwt`. */
  token(user_id: string, project_id?: string): Promise<string>;
  /** Listens on 127.0.0.1, for tests that need a socket. @returns the port */
  listen(): Promise<number>;
  /** Drops the database and stops. Throws if any error response lacked the common error body. */
  close(): Promise<void>;
}

type Override = ValueProvider | ClassProvider | FactoryProvider;

export interface TestAppOptions {
  /** Settings that differ from the test defaults: an embedded store in memory, no log, no limits. */
  config?: ConfigValues;
  modules?: NonNullable<ModuleMetadata['imports']>;
  /** Replacements for providers of the service or of modules: `{ provide, useValue }`, `useClass` or `useFactory`. */
  overrides?: readonly Override[];
  /** A clock, if another application shares it. */
  clock?: TestClock;
  logger?: Logger;
  /** Called with the adapter before routes are registered. */
  onAdapter?: (adapter: ReturnType<typeof createAdapter>) => void;
  /** Called with the application before it starts, for example to set a WebSocket adapter. */
  onApp?: (app: NestFastifyApplication) => void;
  /** Called with the connection before it is opened. */
  onConnection?: (connection: Connection) => void;
}

/**
 * Starts the whole service as in production, with further modules, its own database and its own clock. Waits up to 30 s
 * for the database, then continues without it. For any test runner; needs `@nestjs/testing`.
 */
export async function createTestApp({
  config: settings,
  modules = [],
  overrides = [],
  clock = new TestClock(),
  logger: givenLogger,
  onAdapter,
  onApp,
  onConnection,
}: TestAppOptions = {}): Promise<TestApp> {
  const dataDir = await mkdtemp(join(tmpdir(), 'avatar-chat-test-'));
  const config = new Config({
    ...configFrom({
      DATA_DIR: dataDir,
      JWT_SECRET: randomBytes(32).toString('hex'),
      LOG_LEVEL: 'silent',
      MONGODB_URI: 'embedded::memory:',
      PORT: '0',
      PUBLIC_URL: 'http://chat.test',
      DEMO: 'off',
      SPEECH_MODELS: 'off',
    }),
    ...settings,
  });
  const logger = givenLogger ?? createLogger(config);
  const builder = Test.createTestingModule({ imports: [AppModule.for(config, modules)] })
    .overrideProvider(Config)
    .useValue(config)
    .overrideProvider(Clock)
    .useValue(clock)
    .overrideProvider(LOGGER)
    .useValue(logger)
    .overrideProvider(BackgroundTimes)
    .useValue({ jitterMs: 0 })
    // Tests should not fail because the machine is busy.
    .overrideProvider(DatabaseTimeouts)
    .useValue({ ...new DatabaseTimeouts(), start: 30_000, connection: 2000, operation: 15_000 });
  for (const override of overrides) {
    const { provide } = override;
    const by = builder.overrideProvider(provide);
    if ('useClass' in override) by.useClass(override.useClass);
    else if ('useFactory' in override)
      by.useFactory({ factory: override.useFactory, inject: override.inject as never });
    else by.useValue(override.useValue);
  }
  const testing = await builder.compile();
  const adapter = createAdapter(config);
  const faults: string[] = [];
  assertErrorBodies(adapter, faults);
  onAdapter?.(adapter);
  const app = testing.createNestApplication<NestFastifyApplication>(adapter, { logger: new NestLogger(logger) });
  await adapter.init(); // as NestFactory does
  configureApp(app);
  const connection = app.get<Connection>(getConnectionToken());
  onConnection?.(connection);
  onApp?.(app);
  try {
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
  } catch (error) {
    await app.close();
    await rm(dataDir, { recursive: true, force: true });
    throw error;
  }
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
    async listen() {
      await app.listen(0, '127.0.0.1');
      return (app.getHttpServer().address() as AddressInfo).port;
    },
    async close() {
      await connection.dropDatabase().catch(() => undefined);
      // Otherwise the drain would wait for clients to reconnect elsewhere.
      app.getHttpServer().closeAllConnections();
      await app.close();
      await rm(dataDir, { recursive: true, force: true });
      assert.deepEqual(faults, []);
    },
  };
}

async function inject(
  app: NestFastifyApplication,
  { method = 'GET', path, token, headers = {}, body }: Call,
): Promise<Answer> {
  const form = body instanceof FormData ? new Response(body) : undefined;
  const json = typeof body === 'object' && body !== null && !form;
  const response = await app.inject({
    method,
    url: path,
    headers: {
      ...(json ? { 'content-type': 'application/json' } : {}),
      ...(form ? { 'content-type': form.headers.get('content-type')! } : {}),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    payload: form ? Buffer.from(await form.arrayBuffer()) : json ? JSON.stringify(body) : (body as string | undefined),
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

/** Records every error response, to any client by any way, without the common error body. */
function assertErrorBodies(adapter: ReturnType<typeof createAdapter>, faults: string[]): void {
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

/** Throws unless a response has exactly the common error body. */
export function assertErrorBody({ status, headers, body }: Answer): void {
  const request_id = headers['x-request-id'];
  assert.deepEqual(Object.keys(body ?? {}).sort(), ['error', 'message', 'request_id', 'result', 'status']);
  assert.deepEqual(
    { ...body, error: '', message: '' },
    { result: 'failure', status, error: '', message: '', request_id },
  );
  assert.match(body.error, /^[a-z][a-z0-9_]*$/);
  assert.match(body.message, /\S/);
  assert.match(request_id ?? '', /^[!-~]{1,128}$/);
}
