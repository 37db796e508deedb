import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { isWorker, offerMetrics } from 'avatar-chat-runtime';
import { refusals } from '../limits/index.js';
import { collectDefaultMetrics, Counter, Gauge, type GaugeConfiguration, Histogram, Registry } from 'prom-client';

/** The metrics of this process. Each application has its own registry, so that several can run in one process. */
@Injectable()
export class Metrics implements OnModuleInit {
  readonly registry = new Registry();
  private readonly requests = this.histogram(
    'http_request_duration_seconds',
    'Time from the head of a request to the end of its response.',
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    ['method', 'route', 'status'],
  );
  /** Cached by method, route and status: looking a metric up by its labels takes longer than counting. */
  private readonly series = new Map<string, Histogram.Internal<string>>();

  constructor(private readonly host: HttpAdapterHost) {
    collectDefaultMetrics({ register: this.registry });
    this.registry.registerMetric(refusals);
    if (isWorker()) offerMetrics(this.registry);
  }

  counter<L extends string = never>(name: string, help: string, labelNames: L[] = []): Counter<L> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  gauge<L extends string = never>(name: string, help: string, more: Partial<GaugeConfiguration<L>> = {}): Gauge<L> {
    return new Gauge({ name, help, ...more, registers: [this.registry] });
  }

  histogram<L extends string = never>(
    name: string,
    help: string,
    buckets: number[],
    labelNames: L[] = [],
  ): Histogram<L> {
    return new Histogram({ name, help, buckets, labelNames, registers: [this.registry] });
  }

  /** @internal */
  onModuleInit(): void {
    this.host.httpAdapter?.getInstance<FastifyInstance>().addHook('onResponse', (request, reply, done) => {
      const route = request.routeOptions.url ?? 'none';
      const { method } = request;
      const status = reply.statusCode;
      const key = `${method} ${status} ${route}`;
      let series = this.series.get(key);
      if (!series) this.series.set(key, (series = this.requests.labels({ method, route, status })));
      series.observe(reply.elapsedTime / 1000);
      done();
    });
  }
}
