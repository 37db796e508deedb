import { Controller, Get, Header } from '@nestjs/common';
import { ApiProduces, ApiTags } from '@nestjs/swagger';
import { Public } from '../auth/index.js';
import { ApiErrors } from '../platform/openapi/index.js';
import { HealthStatus, LiveSlots } from './health.dto.js';
import { HealthService } from './health.service.js';

@Public()
@ApiTags('Operations')
@Controller()
export class HealthController {
  constructor(private readonly health: HealthService) {}

  /** Liveness: whether the process responds. */
  @Get('health/live')
  live(): HealthStatus {
    return { status: 'ok' };
  }

  /** Readiness: the database is available, and the service is not shutting down. */
  @ApiErrors('service_unavailable')
  @Get('health/ready')
  async ready(): Promise<HealthStatus> {
    await this.health.assertReady();
    return { status: 'ok' };
  }

  /** Free slots of live conversations, for autoscalers and load balancers. */
  @ApiErrors('service_unavailable')
  @Get('health/live-slots')
  liveSlots(): Promise<LiveSlots> {
    return this.health.liveSlots();
  }

  /** Metrics of all processes on this port, in the Prometheus text format. */
  @ApiErrors('service_unavailable')
  @Get('metrics')
  @ApiProduces('text/plain')
  @Header('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
  metrics(): Promise<string> {
    return this.health.metrics();
  }
}
