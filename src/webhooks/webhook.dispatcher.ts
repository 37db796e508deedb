import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Counter } from 'prom-client';
import { CatalogueService } from '../catalogue/index.js';
import { Clock, Config, isoDate } from '../platform/config/index.js';
import { Database, isDatabaseUnavailable } from '../platform/database/index.js';
import { Events, type Lease, type OutboxEntry, OutboxRepository } from '../events/index.js';
import { Metrics } from '../platform/health/index.js';
import { Receivers, SLOTS } from './webhook.receivers.js';
import { pauseAfter } from './webhook.schedule.js';
import { type Answer, WebhookSender } from './webhook.sender.js';
import { keysOf } from './webhook.signature.js';
import { loggerOf } from '../platform/logging/index.js';

/** How often the outbox is looked at for what other processes have put there or left, in milliseconds. */
const POLL = 1000;
/** How often messages are looked for that never got into the outbox, and how old they must be for that. */
const SWEEP = 5000;
/** A date further ahead is of a clock that has been set back since, or of a process whose clock is ahead. */
const AHEAD = 60_000;
/** How long an entry belongs to the process that tries it: above the longest that this may take. */
const LEASE_MS = 60_000;
/** How long a shutdown waits for deliveries in flight before it ends them, and then for them to be given back. */
const STOP_TIMEOUT_MS = 1500;
const STOP_LIMIT = STOP_TIMEOUT_MS + 1000;
/** By this status a receiver says that it wants no more. */
const GONE = 410;
/** What the webhook was to tell of has been erased. */
const NO_MESSAGE = 'NO_MESSAGE';

/** Brings what is in the outbox to its receivers. Any number of processes do so side by side. */
@Injectable()
export class WebhookDispatcher implements BeforeApplicationShutdown {
  private readonly logger = loggerOf(WebhookDispatcher.name);
  private readonly attempts: Counter<'result'>;
  private readonly receivers: Receivers;
  private readonly underWay = new Set<Promise<void>>();
  private readonly stop = new AbortController();
  private timer?: NodeJS.Timeout;
  private acquiring = false;
  /** One that may or may not have been made: the database did not answer in time. */
  private unanswered?: Lease;
  private stopping = false;
  private swept = -Infinity;

  constructor(
    private readonly outbox: OutboxRepository,
    private readonly events: Events,
    private readonly catalogue: CatalogueService,
    private readonly sender: WebhookSender,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly host: HttpAdapterHost,
    metrics: Metrics,
    database: Database,
  ) {
    this.receivers = new Receivers(clock);
    this.attempts = new Counter({
      name: 'webhook_attempts_total',
      help: 'Attempts to deliver a webhook. Results: delivered, failed (will be retried), dead (given up).',
      labelNames: ['result'],
      registers: [metrics.registry],
    });
    events.onEnqueued(() => void this.dispatch());
    database.onReady(async () => {
      this.timer ??= setInterval(() => void this.look(), POLL).unref();
    });
  }

  /** @internal Deliveries in progress may end; those that do not are released, for another process to try. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    clearInterval(this.timer);
    const timer = setTimeout(() => this.stop.abort(), STOP_TIMEOUT_MS);
    await Promise.race([Promise.all(this.underWay), delay(STOP_LIMIT, undefined, { ref: false })]);
    clearTimeout(timer);
  }

  /** Costs nothing where no project has a webhook. */
  private async look(): Promise<void> {
    if (!this.catalogue.hasWebhooks || !this.host.httpAdapter) return;
    const elapsed = this.clock.monotonic();
    if (elapsed - this.swept >= SWEEP) {
      this.swept = elapsed;
      const now = this.clock.now();
      await this.events.messages?.enqueuePending(now - SWEEP, now).catch((error: unknown) => this.report(error));
      await this.outbox.hasten(now, AHEAD, LEASE_MS).catch((error: unknown) => this.report(error));
    }
    await this.dispatch();
  }

  /** Takes what is due, up to as many as are tried at a time. */
  private async dispatch(): Promise<void> {
    // The command line only fills the outbox.
    if (this.acquiring || !this.host.httpAdapter) return;
    this.acquiring = true;
    try {
      while (!this.stopping && this.underWay.size < SLOTS) {
        const now = this.clock.now();
        if (this.unanswered) await this.outbox.release(this.unanswered, now);
        this.unanswered = { lease: randomUUID(), due: now + LEASE_MS };
        const entry = await this.outbox.acquire(this.unanswered, now, this.receivers.occupied());
        this.unanswered = undefined;
        if (!entry) break;
        const attempt: Promise<void> = this.attempt(entry)
          .catch((error: unknown) => this.report(error))
          .finally(() => {
            this.underWay.delete(attempt);
            void this.dispatch();
          });
        this.underWay.add(attempt);
      }
    } catch (error) {
      this.report(error);
    } finally {
      this.acquiring = false;
    }
  }

  private async attempt(entry: OutboxEntry & Lease): Promise<void> {
    const done = this.receivers.begin(entry);
    const answer = await this.send(entry).catch((error: unknown): Answer => {
      this.report(error);
      return { error: 'FAILED' };
    });
    const { status = 0, error } = answer;
    const isDelivered = status >= 200 && status < 300;
    const isInterrupted = !isDelivered && this.stop.signal.aborted;
    done(isDelivered || isInterrupted || error === NO_MESSAGE);
    if (isInterrupted) return this.outbox.release(entry, this.clock.now());
    // Whom or what it would name is gone.
    if (error === NO_MESSAGE) return this.outbox.drop(entry);
    const outcome = { at: this.clock.now(), ...(status ? { status } : { error }) };
    if (isDelivered) {
      await this.writeDown(entry, () => this.outbox.delivered(entry, outcome));
      this.attempts.inc({ result: 'delivered' });
      return;
    }
    const pause = status === GONE ? undefined : pauseAfter(entry.attempts, answer.retryAfter);
    const due = pause === undefined ? undefined : this.clock.now() + pause;
    await this.writeDown(entry, () => this.outbox.failed(entry, outcome, due));
    this.attempts.inc({ result: pause === undefined ? 'dead' : 'failed' });
    if (pause === undefined) this.logger.warn(`Gave up the webhook ${entry._id} of project ${entry.project_id}`);
  }

  /**
   * Writes down what came of an attempt, again and again while the database does not answer: when the lease expires,
   * what has arrived would be sent once more.
   */
  private async writeDown({ due }: Lease, write: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (!isDatabaseUnavailable(error) || this.stopping || this.clock.now() >= due) throw error;
        await delay(POLL, undefined, { ref: false, signal: this.stop.signal });
      }
    }
  }

  private async send(entry: OutboxEntry): Promise<Answer> {
    const project = await this.catalogue.findProject(entry.project_id);
    const webhook = project?.webhooks?.find(({ name }) => name === entry.webhook);
    // It may only not have got round to this process yet.
    if (!project || !webhook) return { error: 'NO_WEBHOOK' };
    const keys = keysOf(project, webhook, this.clock.now(), this.config);
    if (!keys) return { error: 'NO_SECRET' };
    const data = await this.dataOf(entry);
    if (!data) return { error: NO_MESSAGE };
    const body = JSON.stringify({ type: entry.type, timestamp: isoDate(entry.date), data });
    return this.sender.send({ url: webhook.url, id: entry.event_id, body, keys }, this.stop.signal);
  }

  private async dataOf({ type, project_id, user_id, data }: OutboxEntry): Promise<object | undefined> {
    if (!('message_id' in data)) return data;
    const message = await this.events.messages?.find(project_id, user_id, String(data.message_id));
    return message && type !== 'message.created' ? data : message;
  }

  private report(error: unknown): void {
    if (!this.stopping && !isDatabaseUnavailable(error)) this.logger.error(error);
  }
}
