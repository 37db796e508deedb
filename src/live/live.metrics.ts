import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram } from 'prom-client';
import { Metrics } from '../platform/metrics/index.js';
import { Config } from '../platform/config/index.js';

const SECONDS = [0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1, 1.5, 2.5, 5, 10];

/**
 * Stages of an answer: `end_of_turn` is the silence until a turn counts as complete, `transcription` from there to its
 * transcript, `first_sentence` from the transcript to the engine's first sentence, `first_sound` from there to its
 * first audio, and `end_to_end` from the end of the speech to the first audio.
 */
export type Stage = 'end_of_turn' | 'transcription' | 'first_sentence' | 'first_sound' | 'end_to_end';

/** Metrics of live sessions. */
@Injectable()
export class LiveMetrics {
  readonly sessions: Gauge;
  /** Sessions that may begin, of how many. */
  readonly free: Gauge;
  readonly responses: Counter<'status'>;
  readonly interruptions: Counter;
  readonly stages: Histogram<'stage'>;

  constructor({ registry }: Metrics, { liveSessions }: Config) {
    const registers = [registry];
    this.sessions = new Gauge({ name: 'live_sessions', help: 'Live sessions at this moment.', registers });
    this.free = new Gauge({ name: 'live_slots_free', help: 'Live sessions that may begin at this moment.', registers });
    this.free.set(liveSessions);
    new Gauge({ name: 'live_slots_total', help: 'Live sessions at a time.', registers }).set(liveSessions);
    this.responses = new Counter({
      name: 'live_responses_total',
      help: 'Responses of live sessions: completed, cancelled or failed.',
      labelNames: ['status'],
      registers,
    });
    this.interruptions = new Counter({
      name: 'live_interruptions_total',
      help: 'Responses that users have interrupted by speaking.',
      registers,
    });
    this.stages = new Histogram({
      name: 'live_stage_seconds',
      help: 'Time of each stage of a spoken answer: end_of_turn, transcription, first_sentence, first_sound, end_to_end.',
      labelNames: ['stage'],
      buckets: SECONDS,
      registers,
    });
  }
}
