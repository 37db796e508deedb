import { Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';
import { HealthService } from './health.service.js';
import { Metrics } from './metrics.js';

/** What balancers and monitors ask. */
@Module({ controllers: [HealthController], providers: [HealthService, Metrics], exports: [Metrics] })
export class HealthModule {}
