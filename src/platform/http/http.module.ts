import { Global, Inject, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { APP_FILTER, APP_PIPE, HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { Config } from '../config/index.js';
import { ErrorFilter } from '../errors/index.js';
import { ResponseMemory } from '../limits/index.js';
import { createLogger, LOGGER, type Logger } from '../logging/index.js';
import { Metrics } from '../metrics/index.js';
import { PublicUrl } from './public-url.js';
import { traceOf } from './request-ids.js';
import { endTelemetry } from 'avatar-chat-runtime';
import { ValidationPipe } from '../validation/index.js';

/** Global HTTP behavior for all modules: the validation pipe, the error body, the access log. */
@Global()
@Module({
  providers: [
    Metrics,
    ResponseMemory,
    PublicUrl,
    { provide: LOGGER, useFactory: createLogger, inject: [Config] },
    { provide: APP_PIPE, useClass: ValidationPipe },
    { provide: ErrorFilter, useFactory: (logger: Logger) => new ErrorFilter(logger), inject: [LOGGER] },
    { provide: APP_FILTER, useExisting: ErrorFilter },
  ],
  exports: [ErrorFilter, Metrics, ResponseMemory, PublicUrl, LOGGER],
})
export class HttpModule implements OnModuleInit, OnApplicationShutdown {
  constructor(
    private readonly host: HttpAdapterHost,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * @internal One line per request, with the pattern of its route: a query may contain a user, and tokens must never be
   *   logged.
   */
  onModuleInit(): void {
    const fastify = this.host.httpAdapter?.getInstance<FastifyInstance>();
    fastify?.addHook('onResponse', (request, reply, done) => {
      this.logger.info({
        method: request.method,
        route: request.routeOptions.url ?? 'none',
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        request_id: request.id,
        trace_id: traceOf(request).id,
      });
      done();
    });
  }

  /** @internal */
  onApplicationShutdown(): Promise<void> {
    return endTelemetry();
  }
}
