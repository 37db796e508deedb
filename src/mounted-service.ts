import { Logger as NestLines, type ModuleMetadata } from '@nestjs/common';
import { type HttpAdapterHost, NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { AppModule } from './app.module.js';
import { configureApp } from './app.js';
import { TurnService } from './chat/index.js';
import { LiveSessions } from './live/index.js';
import { Config } from './platform/config/index.js';
import { createAdapter, Mount, type ServiceAdapter } from './platform/http/index.js';
import { LOG_CONTEXT, LOGGER, type Logger } from './platform/logging/index.js';

/**
 * The service as a separate application within the process of a host application, sharing its HTTP server. Guards,
 * pipe, filter and limits of the two do not mix: docs/decisions/0019-mounted.md.
 */
export class MountedService {
  private constructor(
    private readonly app: NestFastifyApplication,
    private readonly adapter: ServiceAdapter,
    private readonly host: HttpAdapterHost,
  ) {}

  /** Creates its providers. Opens no connections before {@link start}. */
  static async create(
    config: Config,
    prefix: string,
    modules: NonNullable<ModuleMetadata['imports']>,
    host: HttpAdapterHost,
  ): Promise<MountedService> {
    const adapter = createAdapter(config);
    const mount = new Mount(adapter.getInstance() as unknown as FastifyInstance, prefix);
    adapter.mount = mount;
    // Replays an adapter that already exists; in tests it is created later.
    host.init$.subscribe(() => mount.joinFramework(host.httpAdapter));
    // Not NestFactory itself: it would apply the options of this application to the host.
    const factory = new (NestFactory.constructor as new () => typeof NestFactory)();
    // The host has already logged that it starts.
    Object.assign(factory, { logger: { log: () => undefined } });
    // Without a logger: Nest's logger is global to the process, so it belongs to the host.
    const app = await factory.create<NestFastifyApplication>(AppModule.for(config, modules), adapter, {
      abortOnError: false,
    });
    if (prefix) showRoutesUnder(prefix, app);
    const logger = app.get<Logger>(LOGGER);
    logger.setBindings({ context: LOG_CONTEXT });
    for (const warning of config.warnings) logger.warn(warning);
    return new MountedService(configureApp(app), adapter, host);
  }

  /** One of its providers. */
  get<T>(token: unknown): T {
    return this.app.get<T>(token as never);
  }

  /** Resolves when it is ready for requests, before the host listens. */
  async start(): Promise<void> {
    await this.app.init();
    await this.adapter.getInstance().ready();
    const server: unknown = this.host.httpAdapter?.getHttpServer();
    // A host's standalone application context has no HTTP server, and takes no requests.
    if (server) this.adapter.mount!.joinServer(server as never);
  }

  /**
   * Fails readiness while the host still answers, and closes what the host's server would wait for: live sessions
   * before this resolves, answers in progress soon after.
   */
  async drain(): Promise<void> {
    this.adapter.drain();
    await this.get<LiveSessions>(LiveSessions).beforeApplicationShutdown();
    this.get<TurnService>(TurnService).beforeApplicationShutdown();
  }

  async close(): Promise<void> {
    await this.app.close();
  }
}

/**
 * Makes Nest log the routes with their prefix in the host's log. If a version of Nest differs internally, it logs them
 * as usual.
 */
function showRoutesUnder(prefix: string, app: object): void {
  const { routesResolver } = app as { routesResolver?: { routerExplorer?: object } };
  for (const part of [routesResolver, routesResolver?.routerExplorer])
    if (part && 'logger' in part) part.logger = new LinesUnder(prefix, part.constructor.name);
}

class LinesUnder extends NestLines {
  constructor(
    private readonly prefix: string,
    context: string,
  ) {
    super(context, { timestamp: true });
  }

  override log(message: string): void {
    super.log(message.replace(/\{(\/[^,}]*)/, (_, path: string) => `{/${this.prefix}${path === '/' ? '' : path}`));
  }
}
