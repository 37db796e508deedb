import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Database, DatabaseAwayError } from '../database/index.js';
import { Metrics } from './metrics.js';

@Injectable()
export class HealthService implements BeforeApplicationShutdown {
  private stopping = false;

  constructor(
    private readonly database: Database,
    private readonly measured: Metrics,
  ) {}

  /** @throws DatabaseAwayError where the service is not ready. */
  async assertReady(): Promise<void> {
    if (this.stopping || !this.database.ready) throw new DatabaseAwayError();
    await this.database.ping();
  }

  /** Prometheus' text format. */
  metrics(): Promise<string> {
    return this.measured.registry.metrics();
  }

  /** @internal */
  beforeApplicationShutdown(): void {
    this.stopping = true;
  }
}
