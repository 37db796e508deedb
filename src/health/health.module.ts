import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { DatabaseMetrics } from './database.metrics.js';
import { HealthController } from './health.controller.js';
import { HealthService } from './health.service.js';

/** Liveness, readiness and metrics, for load balancers and monitoring. */
@Module({
  imports: [DiscoveryModule],
  controllers: [HealthController],
  providers: [DatabaseMetrics, HealthService],
})
export class HealthModule {}
