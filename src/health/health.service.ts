import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, HttpAdapterHost } from '@nestjs/core';
import { Database, DatabaseUnavailableError } from '../platform/database/index.js';
import { ServiceAdapter } from '../platform/http/index.js';
import { findMarked, type MarkedMethod } from '../platform/extension-points/index.js';
import { withTimeout } from 'avatar-chat-runtime';
import { allWorkersMetrics, isWorker } from 'avatar-chat-runtime';
import { failure } from '../platform/errors/index.js';
import { HEALTH_CHECK } from './health-check.js';
import { Metrics } from '../platform/metrics/index.js';
import { loggerOf } from '../platform/logging/index.js';

/** Timeout of a module's check, in milliseconds. */
const CHECK_TIMEOUT_MS = 1000;

@Injectable()
export class HealthService implements OnModuleInit {
  private readonly logger = loggerOf('Health');
  private checks: readonly MarkedMethod[] = [];

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly database: Database,
    private readonly measured: Metrics,
    private readonly host: HttpAdapterHost,
  ) {}

  /** @internal When all providers exist. */
  onModuleInit(): void {
    this.checks = findMarked(this.discovery, HEALTH_CHECK, 'health check');
  }

  /** @throws DatabaseUnavailableError if the service is not ready */
  async assertReady(): Promise<void> {
    const { httpAdapter } = this.host;
    const isStopping = httpAdapter instanceof ServiceAdapter && httpAdapter.isLeaving;
    if (isStopping || !this.database.ready) throw new DatabaseUnavailableError();
    await Promise.all([this.database.ping(), ...this.checks.map((check) => this.assertWell(check))]);
  }

  private async assertWell(check: MarkedMethod): Promise<void> {
    const late = new Error('it took too long');
    const asked = new Promise((resolve) => resolve(check.call()));
    const reason = await withTimeout(asked, CHECK_TIMEOUT_MS, () => late).then(
      (isWell) => (isWell === false ? '' : undefined),
      (error: unknown) => (error === late ? `: ${late.message}` : ''),
    );
    if (reason === undefined) return;
    this.logger.warn(`The health check '${check.name}' failed${reason}`);
    throw failure('service_unavailable');
  }

  /** The live sessions of all workers that may begin, of how many. */
  async liveSlots(): Promise<{ free: number; total: number }> {
    const lines = (await this.metrics()).split('\n');
    const valueOf = (name: string) => Number(lines.find((line) => line.startsWith(`${name} `))?.split(' ')[1] ?? 0);
    return { free: valueOf('live_slots_free'), total: valueOf('live_slots_total') };
  }

  /** Metrics in Prometheus' text format; of all workers together, if there are several. */
  async metrics(): Promise<string> {
    if (!isWorker()) return this.measured.registry.metrics();
    const text = await allWorkersMetrics();
    if (text === undefined) throw failure('service_unavailable');
    return text;
  }
}
