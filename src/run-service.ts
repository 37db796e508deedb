import './single-copies.js';
import cluster from 'node:cluster';
import type { ModuleMetadata } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { loadConfig } from 'avatar-chat-settings';
// Not through the module's index.ts: invalid settings are reported before the database driver is loaded.
import { beginEmbeddedStore } from './platform/database/embedded-store.js';
import { explanationOf } from './platform/database/start-failure.js';
import type { Logger } from './platform/logging/index.js';
import {
  assertKnownOptions,
  assertModules,
  exitIfShutdownHangs,
  isWorker,
  keepHeapSmall,
  listenToSupervisor,
  namesFromEnvFile,
  reportListening,
  startTelemetry,
  superviseWorkers,
} from 'avatar-chat-runtime';
import type { OpenApiOptions } from './platform/openapi/index.js';
import { catchHangups, onHangup } from './hangup.js';

export interface ServiceOptions {
  /** Called with the application before it listens, in each worker. */
  configure?(app: NestFastifyApplication): void | Promise<void>;
  /** The name of the service in the start line. Default: `Avatar chat service`. */
  name?: string;
  /** Metadata for the OpenAPI document. */
  openapi?: OpenApiOptions;
}

const OPTIONS = ['configure', 'name', 'openapi'];
const OPENAPI_OPTIONS = ['title', 'version', 'tags'];

/**
 * Runs the service with further modules, like its own program: settings from the environment, `WORKERS` processes,
 * signals, the start line. A failed start exits with code 1 and prints the reason on standard error.
 *
 * @example
 * await runService([RatingsModule], { name: 'Avatar chat with ratings' });
 */
export async function runService(
  modules: NonNullable<ModuleMetadata['imports']> = [],
  options: ServiceOptions = {},
): Promise<void> {
  catchHangups();
  try {
    assertModules('runService()', modules);
    assertKnownOptions('runService()', options, OPTIONS);
    assertKnownOptions('openapi of runService()', options.openapi ?? {}, OPENAPI_OPTIONS);
    const config = loadConfig();
    if (config.workers > 1 && !cluster.isWorker)
      await superviseWorkers(config.workers, config.shutdownMs, namesFromEnvFile());
    else await serve(config, modules, options);
  } catch (error) {
    console.error(explanationOf(error));
    process.exit(1);
  }
}

/** Why the service cannot listen, by the setting that is to be changed. */
function listenFailureOf(error: unknown, port: number, host: string): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return `PORT ${port} of ${host} is in use already: choose another one, or stop the program that uses it`;
    case 'EACCES':
      return `PORT ${port} of ${host} may not be used by this user: choose one above 1023`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `HOST ${host} is not an address of this machine`;
    default:
      return explanationOf(error);
  }
}

async function serve(
  config: ReturnType<typeof loadConfig>,
  modules: NonNullable<ModuleMetadata['imports']>,
  { configure, name = 'Avatar chat service', openapi }: ServiceOptions,
): Promise<void> {
  const { port, host, database, databaseChosen, workers, openAiModel, openAiBaseUrl, localModel } = config;
  // Node's cluster may also have been started by others: those processes are not our workers.
  if (workers > 1) listenToSupervisor();
  const letHeapGrow = keepHeapSmall();
  if (database.kind === 'embedded') beginEmbeddedStore(database.path);
  if (config.otlpEndpoint) startTelemetry(config.otelServiceName);
  // Imported lazily: the modules take a second to load, and invalid settings should be reported at once.
  const { createApp } = await import('./app.js');
  const { PublicUrl } = await import('./platform/http/index.js');
  const { LOGGER } = await import('./platform/logging/index.js');
  const app = await createApp(modules, { openapi });
  exitIfShutdownHangs(config.shutdownMs);
  await configure?.(app);
  await app.listen(port, host).catch((error: unknown) => {
    throw new Error(listenFailureOf(error, port, host), { cause: error });
  });
  letHeapGrow();
  const store =
    database.kind === 'embedded'
      ? ` (${databaseChosen ? '' : 'MONGODB_URI is not set: '}embedded store in ${database.path}, for evaluation, development and tests)`
      : '';
  const answerer = localModel ?? (openAiModel && `${openAiModel} at ${openAiBaseUrl}`);
  const model = answerer === undefined ? '' : `; ${answerer} answers for scripted avatars`;
  const line = `${name} listening on ${app.get(PublicUrl).listening}${store}${model}`;
  if (isWorker()) return reportListening(line);
  console.log(line);
  const logger = app.get<Logger>(LOGGER);
  onHangup(() => logger.warn('SIGHUP replaces workers, and with WORKERS=1 there are none: nothing is done'));
}
