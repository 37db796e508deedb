import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { HealthController } from './health.controller.js';
import { HealthService } from './health.service.js';
import { Metrics } from './metrics.js';

/** Liveness, readiness and metrics, for load balancers and monitoring. Any module may inject the metrics. */
@Global()
@Module({
  imports: [DiscoveryModule],
  controllers: [HealthController],
  providers: [HealthService, Metrics],
  exports: [Metrics],
})
export class HealthModule {}
