import fastifyMultipart from '@fastify/multipart';
import fastifyStatic from '@fastify/static';
import type { ModuleMetadata } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';
import { allowOrigins } from './app.cors.js';
import { serveConsole, serveWeb } from './app.web.js';
import { loadConfig } from 'avatar-chat-settings';
import { Config } from './platform/config/index.js';
import { FILE_LIMIT } from './files/index.js';
import { ASSETS, BODY_LIMIT, createAdapter } from './platform/http/index.js';
import { createLogger, LOGGER, type Logger, NestLogger } from './platform/logging/index.js';
import { type OpenApiOptions, setupOpenApi } from './platform/openapi/index.js';
import { isFirstOrOnly } from 'avatar-chat-runtime';

/** The size of a file is checked while it is received; one byte above the limit is enough to detect it. */
const FORM_LIMITS = {
  fieldNameSize: 100,
  fieldSize: BODY_LIMIT,
  fields: 20,
  files: 2,
  fileSize: FILE_LIMIT + 1,
  parts: 20,
  headerPairs: 50,
};
const DAY_IN_SECONDS = 86_400;

/** How an application differs from the default service, besides its settings and modules. */
export interface AppOptions {
  openapi?: OpenApiOptions;
}

/**
 * Creates the service as an application that is ready to listen. A program calls `runService()` instead, which also
 * listens and shuts down.
 *
 * @param modules further Nest modules; they get the same guard and the same error body
 */
export async function createApp(
  modules: NonNullable<ModuleMetadata['imports']> = [],
  options: AppOptions = {},
): Promise<NestFastifyApplication> {
  const config = loadConfig();
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.for(config, modules), createAdapter(config), {
    logger: new NestLogger(createLogger(config)),
    abortOnError: false,
  });
  if (isFirstOrOnly()) for (const warning of config.warnings) app.get<Logger>(LOGGER).warn(warning);
  app.enableShutdownHooks(['SIGTERM', 'SIGINT'], { useProcessExit: true });
  return configureApp(app, options);
}

/** What an application needs besides its modules; for tests that create theirs differently. */
export function configureApp(app: NestFastifyApplication, { openapi }: AppOptions = {}): NestFastifyApplication {
  const config = app.get(Config);
  allowOrigins(app, config);
  void app.register(fastifyMultipart as never, { limits: FORM_LIMITS, throwFileSizeLimit: false } as never);
  void app.register(
    fastifyStatic as never,
    {
      root: ASSETS,
      prefix: '/assets/',
      maxAge: DAY_IN_SECONDS * 1000,
      index: false,
      // An SVG opened directly is a document, and our documents must not run scripts.
      setHeaders: (reply: { header(name: string, value: string): unknown }) =>
        void reply.header('Content-Security-Policy', 'sandbox'),
    } as never,
  );
  serveWeb(app, config);
  serveConsole(app, config);
  setupOpenApi(app, { server: config.publicUrl && new URL(config.publicUrl).pathname, ...openapi });
  return app;
}
