import { Injectable } from '@nestjs/common';
import type { Counter, Gauge, Histogram } from 'prom-client';
import { Metrics } from '../../platform/metrics/index.js';
import { TurnSlots } from './turn.slots.js';

const SECONDS = [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Metrics of turns: count, result, and latency of the avatars. */
@Injectable()
export class TurnMetrics {
  /** By chat type and result: `answered`, `interrupted`, or the code of an error. */
  readonly turns: Counter<'chat_type' | 'result'>;
  readonly engineSeconds: Histogram<'engine'>;
  readonly firstPieceSeconds: Histogram<'engine'>;
  readonly inProgress: Gauge;

  constructor(metrics: Metrics, slots: TurnSlots) {
    this.turns = metrics.counter('chat_turns_total', 'Turns, by result: answered, interrupted, or a code.', [
      'chat_type',
      'result',
    ]);
    this.inProgress = metrics.gauge('chat_turns_in_progress', 'Turns in progress, of at most 1,000 per process.', {
      collect() {
        this.set(slots.size);
      },
    });
    this.engineSeconds = metrics.histogram(
      'chat_engine_duration_seconds',
      'Time until the complete answer of an engine.',
      SECONDS,
      ['engine'],
    );
    this.firstPieceSeconds = metrics.histogram(
      'chat_engine_first_piece_seconds',
      'Time until the first words of an answer.',
      SECONDS,
      ['engine'],
    );
  }
}
