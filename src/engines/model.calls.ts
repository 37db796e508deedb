import { Injectable } from '@nestjs/common';
import type { Gauge, Histogram } from 'prom-client';
import { Metrics } from '../platform/metrics/index.js';

const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

/** Metrics of calls to language models, by the kind of the engine; only models inside the service have a queue. */
@Injectable()
export class ModelCalls {
  private readonly seconds: Histogram<'engine'>;
  private readonly inProgress: Gauge<'engine'>;
  private readonly waited: Histogram;
  private readonly waiting: Gauge;

  constructor(metrics: Metrics) {
    this.seconds = metrics.histogram(
      'model_call_duration_seconds',
      'Time of calls to models, with that in the queue.',
      SECONDS,
      ['engine'],
    );
    this.inProgress = metrics.gauge('model_calls_in_progress', 'Calls to models, with those in the queue.', {
      labelNames: ['engine'],
    });
    this.waited = metrics.histogram(
      'model_queue_wait_seconds',
      'Time until a model inside the service has a free slot.',
      [0.001, ...SECONDS],
    );
    this.waiting = metrics.gauge('model_queue_waiting', 'Answers that wait for a model inside the service.');
  }

  /** Counts a call. @returns a function to call at its end */
  begin(engine: string): () => void {
    this.inProgress.inc({ engine });
    const observe = this.seconds.startTimer({ engine });
    return () => {
      observe();
      this.inProgress.dec({ engine });
    };
  }

  /** Counts what waits for a slot. */
  async wait<T>(entered: Promise<T>): Promise<T> {
    this.waiting.inc();
    const observe = this.waited.startTimer();
    try {
      return await entered;
    } finally {
      observe();
      this.waiting.dec();
    }
  }
}
