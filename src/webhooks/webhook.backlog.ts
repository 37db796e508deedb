import { Injectable } from '@nestjs/common';
import { withTimeout } from 'avatar-chat-runtime';
import type { Counter, Gauge } from 'prom-client';
import { Metrics } from '../platform/metrics/index.js';
import { Clock, Config } from '../platform/config/index.js';
import { loggerOf } from '../platform/logging/index.js';
import { OutboxRepository } from './outbox.repository.js';

/** How long a count is used, in milliseconds; that of a full queue, which takes longest, is used for longer. */
const FRESH_MS = 1000;
const FULL_FRESH_MS = 2000;
/** The share of the remaining room that a process fills before it counts again: others fill it at the same time. */
const STEP = 1 / 20;
/** How long an event waits for a count, in milliseconds. */
const MAX_WAIT_MS = 1000;
/** How often the log says that events of a webhook are dropped. */
const LOG_MS = 60_000;

/** What this process knows of a queue. */
interface Known {
  /** How many events may be added before the next count. */
  room: number;
  isFull: boolean;
  freshUntil: number;
  loggedUntil?: number;
  /** Events that are being added, which a count may not see. */
  inFlight: number;
  counting?: Promise<void>;
}

/** Limits how many events wait for each webhook, without a count for each event. */
@Injectable()
export class WebhookBacklog {
  private readonly logger = loggerOf(WebhookBacklog.name);
  private readonly known = new Map<string, Known>();
  private readonly dropped: Counter;
  private readonly pending: Gauge;
  private readonly oldest: Gauge;

  constructor(
    private readonly outbox: OutboxRepository,
    private readonly config: Config,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    this.dropped = metrics.counter('webhook_dropped_total', 'Events of webhooks for which too many waited.');
    const max = { aggregator: 'max' } as const;
    this.pending = metrics.gauge('webhook_pending', 'Deliveries that wait; 0 in all processes but one.', max);
    this.oldest = metrics.gauge('webhook_oldest_seconds', 'Age of the oldest; 0 in all processes but one.', max);
  }

  /**
   * Reserves a place for an event, which {@link release} gives back once it was added. If the events cannot be counted in
   * time, there is one.
   */
  async reserve(queue: string): Promise<boolean> {
    const known = this.known.get(queue) ?? { room: 0, isFull: false, freshUntil: -Infinity, inFlight: 0 };
    this.known.set(queue, known);
    for (;;) {
      const isFresh = this.clock.monotonic() < known.freshUntil;
      if (isFresh && known.isFull) {
        this.dropped.inc();
        return false;
      }
      if ((isFresh && known.room > 0) || !(await this.isCounted(queue, known))) {
        known.room--;
        known.inFlight++;
        return true;
      }
    }
  }

  /** Sets the gauges; `isOwn` is false if another process does. */
  async measure(isOwn: boolean): Promise<void> {
    const now = this.clock.now();
    const { pending, oldest = now } = isOwn ? await this.outbox.backlog() : { pending: 0 };
    this.pending.set(pending);
    this.oldest.set(Math.max(0, now - oldest) / 1000);
  }

  release(queue: string): void {
    this.known.get(queue)!.inFlight--;
  }

  private isCounted(queue: string, known: Known): Promise<boolean> {
    known.counting ??= this.count(queue, known).finally(() => (known.counting = undefined));
    return withTimeout(known.counting, MAX_WAIT_MS, () => new Error('late')).then(
      () => true,
      () => false,
    );
  }

  private async count(queue: string, known: Known): Promise<void> {
    const { webhookBacklog } = this.config;
    const left = webhookBacklog - known.inFlight - (await this.outbox.countPending(queue, webhookBacklog));
    known.isFull = left <= 0;
    known.room = Math.max(1, Math.floor(left * STEP));
    const now = this.clock.monotonic();
    known.freshUntil = now + (known.isFull ? FULL_FRESH_MS : FRESH_MS);
    if (!known.isFull || now < (known.loggedUntil ?? now)) return;
    known.loggedUntil = now + LOG_MS;
    this.logger.warn(`Events of the webhook ${queue} are dropped: WEBHOOK_BACKLOG (${webhookBacklog}) others wait`);
  }
}
