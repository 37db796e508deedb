import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Database, DatabaseUnavailableError } from '../database/index.js';
import { ServiceAdapter } from '../http/index.js';
import { allWorkersMetrics, isWorker } from '../workers/index.js';
import { failure } from '../errors/index.js';
import { Metrics } from './metrics.js';

@Injectable()
export class HealthService {
  constructor(
    private readonly database: Database,
    private readonly measured: Metrics,
    private readonly host: HttpAdapterHost,
  ) {}

  /** @throws DatabaseUnavailableError where the service is not ready. */
  async assertReady(): Promise<void> {
    const { httpAdapter } = this.host;
    const isStopping = httpAdapter instanceof ServiceAdapter && httpAdapter.isLeaving;
    if (isStopping || !this.database.ready) throw new DatabaseUnavailableError();
    await this.database.ping();
  }

  /** Prometheus' text format; of all workers together, where there are several. */
  async metrics(): Promise<string> {
    if (!isWorker()) return this.measured.registry.metrics();
    const text = await allWorkersMetrics();
    if (text === undefined) throw failure('service_unavailable');
    return text;
  }
}
