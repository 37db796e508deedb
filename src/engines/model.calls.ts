import { Injectable } from '@nestjs/common';
import { Gauge, Histogram } from 'prom-client';
import { Metrics } from '../platform/metrics/index.js';

const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

/** Metrics of calls to language models, by the kind of the engine; only models inside the service have a queue. */
@Injectable()
export class ModelCalls {
  private readonly seconds: Histogram<'engine'>;
  private readonly inProgress: Gauge<'engine'>;
  private readonly waited: Histogram;
  private readonly waiting: Gauge;

  constructor({ registry }: Metrics) {
    const registers = [registry];
    this.seconds = new Histogram({
      name: 'model_call_duration_seconds',
      help: 'Time of calls to language models, until the end of the answer, with the time in the queue.',
      labelNames: ['engine'],
      buckets: SECONDS,
      registers,
    });
    this.inProgress = new Gauge({
      name: 'model_calls_in_progress',
      help: 'Calls to language models at this moment, with those in the queue.',
      labelNames: ['engine'],
      registers,
    });
    this.waited = new Histogram({
      name: 'model_queue_wait_seconds',
      help: 'Time until a model inside the service has a free slot.',
      buckets: [0.001, ...SECONDS],
      registers,
    });
    this.waiting = new Gauge({
      name: 'model_queue_waiting',
      help: 'Answers that wait for a slot of a model inside the service, of at most LOCAL_MODEL_QUEUE for each.',
      registers,
    });
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
