import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram } from 'prom-client';
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

  constructor({ registry }: Metrics, slots: TurnSlots) {
    const registers = [registry];
    this.turns = new Counter({
      name: 'chat_turns_total',
      help: 'Turns that reached an avatar. Results: answered, interrupted, or an error code.',
      labelNames: ['chat_type', 'result'],
      registers,
    });
    this.inProgress = new Gauge({
      name: 'chat_turns_in_progress',
      help: 'Turns in progress, of at most 1,000 per process.',
      registers,
      collect() {
        this.set(slots.size);
      },
    });
    this.engineSeconds = new Histogram({
      name: 'chat_engine_duration_seconds',
      help: 'Time until the complete answer of an engine.',
      labelNames: ['engine'],
      buckets: SECONDS,
      registers,
    });
    this.firstPieceSeconds = new Histogram({
      name: 'chat_engine_first_piece_seconds',
      help: 'Time until the first words of an answer.',
      labelNames: ['engine'],
      buckets: SECONDS,
      registers,
    });
  }
}
