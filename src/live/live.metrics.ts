import { Injectable } from '@nestjs/common';
import type { Counter, Gauge, Histogram } from 'prom-client';
import { Metrics } from '../platform/metrics/index.js';
import { Config } from '../platform/config/index.js';

const SECONDS = [0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1, 1.5, 2.5, 5, 10];

/** Metrics of live sessions. */
@Injectable()
export class LiveMetrics {
  readonly sessions: Gauge;
  /** Sessions that may begin, of how many. */
  readonly free: Gauge;
  readonly responses: Counter<'status'>;
  readonly interruptions: Counter;
  readonly stages: Histogram<'stage'>;

  constructor(metrics: Metrics, { liveSessions }: Config) {
    this.sessions = metrics.gauge('live_sessions', 'Live sessions at this moment.');
    this.free = metrics.gauge('live_slots_free', 'Live sessions that may begin at this moment.');
    this.free.set(liveSessions);
    metrics.gauge('live_slots_total', 'Live sessions at a time.').set(liveSessions);
    this.responses = metrics.counter(
      'live_responses_total',
      'Responses of live sessions: completed, cancelled, failed.',
      ['status'],
    );
    this.interruptions = metrics.counter('live_interruptions_total', 'Responses that users have interrupted.');
    this.stages = metrics.histogram('live_stage_seconds', 'Time of each stage of a spoken answer.', SECONDS, ['stage']);
  }
}
