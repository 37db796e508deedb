import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Counter } from 'prom-client';
import { CatalogueService } from '../catalogue/index.js';
import { Clock, Config, isoDate } from '../platform/config/index.js';
import { Database, isDatabaseUnavailable } from '../platform/database/index.js';
import { BackgroundWork } from '../platform/background/index.js';
import { isModuleEvent } from 'avatar-chat-catalogue';
import { Events } from '../events/index.js';
import { Metrics } from '../platform/metrics/index.js';
import { type Lease, OutboxRepository } from './outbox.repository.js';
import type { OutboxEntry } from './outbox.schema.js';
import { WebhookBacklog } from './webhook.backlog.js';
import { WebhookOutbox } from './webhook.outbox.js';
import { keysOf } from './webhook.keys.js';
import { loggerOf } from '../platform/logging/index.js';
import {
  CLIENT,
  type DeliveryResult,
  pauseAfter,
  Receivers,
  runInTrace,
  traced,
  traceFrom,
  WEBHOOK_SLOTS,
  WebhookSender,
} from 'avatar-chat-runtime';

/** Polling interval for outbox entries that other processes have added or left, in milliseconds. */
const POLL_MS = 1000;
/** Queues that are looked at in each interval. */
const POLLED_QUEUES = 20;
/** Polling interval for messages that never got into the outbox, and the minimum age of such messages. */
const SWEEP_MS = 5000;
/** A time further ahead was set by a clock that was set back since, or of a process whose clock is ahead. */
const AHEAD_MS = 60_000;
/** Duration of a lease: longer than any attempt. */
const LEASE_MS = 60_000;
/**
 * How long a shutdown waits for deliveries in flight before it aborts them, and then for their leases to be released.
 */
const STOP_TIMEOUT_MS = 1500;
const STOP_LIMIT_MS = STOP_TIMEOUT_MS + 1000;
/** With this status a receiver unsubscribes. */
const GONE = 410;
/** The subject of the event has been erased. */
const NO_MESSAGE = 'NO_MESSAGE';

/** Delivers outbox entries to their receivers. Any number of processes do so concurrently. */
@Injectable()
export class WebhookDispatcher implements BeforeApplicationShutdown {
  private readonly logger = loggerOf(WebhookDispatcher.name);
  private readonly attempts: Counter<'result'>;
  private readonly receivers: Receivers;
  private readonly inFlight = new Set<Promise<unknown>>();
  private readonly stop = new AbortController();
  /** Queues that may have due entries, the next one first. */
  private readonly due = new Set<string>();
  /** The queue up to which was looked for due entries. */
  private polled = '';
  /** The time up to which entries' times were corrected. */
  private hastened = 0;
  private timer?: NodeJS.Timeout;
  private acquiring = false;
  /** A lease with unknown outcome: the database did not respond in time. */
  private unanswered?: Lease;
  private stopping = false;

  constructor(
    private readonly outbox: OutboxRepository,
    private readonly backlog: WebhookBacklog,
    private readonly events: Events,
    private readonly catalogue: CatalogueService,
    private readonly sender: WebhookSender,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly host: HttpAdapterHost,
    added: WebhookOutbox,
    metrics: Metrics,
    background: BackgroundWork,
    database: Database,
  ) {
    this.receivers = new Receivers(clock);
    this.attempts = metrics.counter('webhook_attempts_total', 'Deliveries: delivered, failed (tried again), dead.', [
      'result',
    ]);
    // So that the first one is an increase, too.
    for (const result of ['delivered', 'failed', 'dead']) this.attempts.inc({ result }, 0);
    added.onAdded((queue) => {
      this.due.add(queue);
      void this.dispatch();
    });
    background.add({
      name: 'outbox',
      everyMs: SWEEP_MS,
      run: () => this.sweep(),
      lost: () => void this.backlog.measure(false),
    });
    database.onReady(async () => {
      this.timer ??= setInterval(() => void this.look(), POLL_MS).unref();
    });
  }

  /** @internal Deliveries in flight may finish; the leases of the others are released, for another process to try. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    clearInterval(this.timer);
    const timer = setTimeout(() => this.stop.abort(), STOP_TIMEOUT_MS);
    await Promise.race([Promise.all(this.inFlight), delay(STOP_LIMIT_MS, undefined, { ref: false })]);
    clearTimeout(timer);
  }

  /** Free if no project has a webhook. */
  private async look(): Promise<void> {
    if (!this.catalogue.hasWebhooks || !this.host.httpAdapter) return;
    await this.findDue().catch((error: unknown) => this.report(error));
    await this.dispatch();
  }

  /** What one process does for all: publishes overlooked messages, corrects times, and measures the backlog. */
  private async sweep(): Promise<void> {
    if (!this.catalogue.hasWebhooks) return;
    const now = this.clock.now();
    await this.events.messages?.enqueuePending(now - SWEEP_MS, now);
    this.hastened = await this.outbox.hasten(now, AHEAD_MS, LEASE_MS, this.hastened);
    await this.backlog.measure(true);
  }

  /** Finds queues with due entries, by one short read for each that has pending ones. */
  private async findDue(): Promise<void> {
    const now = this.clock.now();
    for (let number = 0; number < POLLED_QUEUES; number++) {
      const next = await this.outbox.nextQueue(this.polled);
      this.polled = next?.queue ?? '';
      if (!next) return;
      if (next.due <= now) this.due.add(next.queue);
    }
  }

  /** Leases due entries of each queue in turn, up to the concurrency limit. */
  private async dispatch(): Promise<void> {
    // The command line only fills the outbox.
    if (this.acquiring || !this.host.httpAdapter) return;
    this.acquiring = true;
    try {
      while (!this.stopping && this.inFlight.size < WEBHOOK_SLOTS) {
        const queue = [...this.due].find((one) => this.receivers.isAvailable(one));
        if (queue === undefined) break;
        this.due.delete(queue);
        const now = this.clock.now();
        if (this.unanswered) await this.outbox.release(this.unanswered, now);
        this.unanswered = { lease: randomUUID(), due: now + LEASE_MS };
        const entry = await this.outbox.acquire(this.unanswered, now, queue).catch((error: unknown) => {
          this.due.add(queue);
          throw error;
        });
        this.unanswered = undefined;
        if (!entry) continue;
        this.due.add(queue);
        const attributes = { 'avatar_chat.webhook': entry.webhook, 'avatar_chat.event': entry.type };
        const work = () => traced('deliver webhook', CLIENT, attributes, () => this.attempt(entry), resultOf);
        // It belongs to no request: those that are served now are others' too.
        const attempt: Promise<unknown> = runInTrace(traceFrom(undefined), work)
          .catch((error: unknown) => this.report(error))
          .finally(() => {
            this.inFlight.delete(attempt);
            void this.dispatch();
          });
        this.inFlight.add(attempt);
      }
    } catch (error) {
      this.report(error);
    } finally {
      this.acquiring = false;
    }
  }

  private async attempt(entry: OutboxEntry & Lease): Promise<DeliveryResult> {
    const done = this.receivers.beginDelivery(entry.queue);
    const answer = await this.send(entry).catch((error: unknown): DeliveryResult => {
      this.report(error);
      return { error: 'FAILED' };
    });
    await this.settle(entry, answer, done);
    return answer;
  }

  private async settle(
    entry: OutboxEntry & Lease,
    answer: DeliveryResult,
    done: (isUp: boolean) => void,
  ): Promise<void> {
    const { status = 0, error } = answer;
    const isDelivered = status >= 200 && status < 300;
    const isInterrupted = !isDelivered && this.stop.signal.aborted;
    done(isDelivered || isInterrupted || error === NO_MESSAGE);
    if (isInterrupted) return this.outbox.release(entry, this.clock.now());
    // The subject of the event is gone.
    if (error === NO_MESSAGE) return this.outbox.discard(entry);
    const outcome = { at: this.clock.now(), ...(status ? { status } : { error }) };
    if (isDelivered) {
      await this.record(entry, () => this.outbox.delivered(entry, outcome));
      this.attempts.inc({ result: 'delivered' });
      return;
    }
    const pause = status === GONE ? undefined : pauseAfter(entry.attempts, answer.retryAfter);
    const due = pause === undefined ? undefined : this.clock.now() + pause;
    await this.record(entry, () => this.outbox.failed(entry, outcome, due));
    this.attempts.inc({ result: pause === undefined ? 'dead' : 'failed' });
    if (pause === undefined) this.logger.warn(`Gave up the webhook ${entry._id} of project ${entry.project_id}`);
  }

  /**
   * Records the result of an attempt, and retries while the database is unavailable: if the lease expires first, a
   * successful delivery would be sent again.
   */
  private async record({ due }: Lease, write: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (!isDatabaseUnavailable(error) || this.stopping || this.clock.now() >= due) throw error;
        await delay(POLL_MS, undefined, { ref: false, signal: this.stop.signal });
      }
    }
  }

  private async send(entry: OutboxEntry): Promise<DeliveryResult> {
    const project = await this.catalogue.findProject(entry.project_id);
    const webhook = project?.webhooks?.find(({ name }) => name === entry.webhook);
    // This process may just not have loaded it yet.
    if (!project || !webhook) return { error: 'NO_WEBHOOK' };
    const keys = keysOf(project, webhook, this.clock.now(), this.config);
    if (!keys) return { error: 'NO_SECRET' };
    const data = await this.dataOf(entry);
    if (!data) return { error: NO_MESSAGE };
    const body = JSON.stringify({ type: entry.type, timestamp: isoDate(entry.date), data });
    return this.sender.send({ url: webhook.url, id: entry.event_id, body, keys }, this.stop.signal);
  }

  private async dataOf({ type, project_id, user_id, data }: OutboxEntry): Promise<object | undefined> {
    // An event of a module may have any fields.
    if (isModuleEvent(type) || !('message_id' in data)) return data;
    const message = await this.events.messages?.find(project_id, user_id, String(data.message_id));
    return message && type !== 'message.created' ? data : message;
  }

  private report(error: unknown): void {
    if (!this.stopping && !isDatabaseUnavailable(error)) this.logger.error(error);
  }
}

const resultOf = ({ status, error }: DeliveryResult) => ({
  ...(status !== undefined && { 'http.response.status_code': status }),
  ...(error !== undefined && { 'error.type': error }),
});
