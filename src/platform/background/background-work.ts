import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Clock } from '../config/index.js';
import { Database, isDatabaseUnavailable } from '../database/index.js';
import { describeError, loggerOf } from '../logging/index.js';
import { BackgroundLease } from './background.lease.js';

/** How often it is checked whether a job is due, in milliseconds. */
const TICK_MS = 1000;
/** The longest pause after a failure. */
const RETRY_MS = 30_000;
/** Jobs at shorter intervals than this are done at once by a process that takes over. */
const RECORDED_MS = 60_000;
/** How long a shutdown waits for a batch in progress. */
const STOP_MS = 1000;

export class BackgroundTimes {
  /** The longest random delay of a process after its start, so that many do not ask for the lease at once. */
  readonly jitterMs: number = 5000;
}

/** Work that is done regularly, by one process at a time. */
export interface Job {
  /** Letters and digits. */
  readonly name: string;
  readonly everyMs: number;
  /**
   * Works in batches. If it fails, it is repeated within half a minute.
   *
   * @param goesOn whether the next batch may be done: this process has the lease, and is not stopping
   */
  run(goesOn: () => boolean): Promise<void>;
  /** Called when this process no longer has the lease. */
  lost?(): void;
}

/**
 * Does the background work of all processes that share a database in one of them: retention, sweeps, timeouts.
 *
 * @example
 * background.add({ name: 'timeouts', everyMs: 5000, run: (goesOn) => this.expire(goesOn) });
 */
@Injectable()
export class BackgroundWork implements BeforeApplicationShutdown {
  private readonly logger = loggerOf(BackgroundWork.name);
  /** With the time, by the monotonic clock, when each is due. */
  private readonly jobs = new Map<Job, number>();
  private readonly running = new Map<Job, Promise<void>>();
  private timer?: NodeJS.Timeout;
  private isTicking = false;
  private isStopping = false;
  private wasHeld = false;

  constructor(
    private readonly lease: BackgroundLease,
    private readonly clock: Clock,
    private readonly host: HttpAdapterHost,
    times: BackgroundTimes,
    database: Database,
  ) {
    database.onReady(async () => {
      // The command line is not a service.
      if (this.timer || !this.host.httpAdapter) return;
      this.timer = setTimeout(() => {
        this.timer = setInterval(() => void this.tick(), TICK_MS).unref();
        void this.tick();
      }, Math.random() * times.jitterMs).unref();
    });
  }

  /** Adds a job. Call it in a constructor. */
  add(job: Job): void {
    this.jobs.set(job, Infinity);
  }

  /** @internal Before the database disconnects: another process goes on at once. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    clearInterval(this.timer);
    await Promise.race([Promise.all(this.running.values()), delay(STOP_MS, undefined, { ref: false })]);
    await this.lease.release().catch(() => undefined);
  }

  private readonly goesOn = (): boolean => this.lease.isHeld && !this.isStopping;

  private async tick(): Promise<void> {
    if (this.isTicking || this.isStopping) return;
    this.isTicking = true;
    try {
      const done = await this.lease.keep();
      if (done) this.schedule(done);
    } catch (error) {
      this.report(error);
    } finally {
      this.isTicking = false;
    }
    if (this.wasHeld && !this.lease.isHeld) for (const job of this.jobs.keys()) job.lost?.();
    this.wasHeld = this.lease.isHeld;
    if (!this.goesOn()) return;
    const now = performance.now();
    for (const [job, due] of this.jobs) if (due <= now && !this.running.has(job)) this.start(job);
  }

  /** When another process did a job last decides when it is due. */
  private schedule(done: Readonly<Record<string, number>>): void {
    const now = performance.now();
    for (const job of this.jobs.keys()) {
      const sinceMs = this.clock.now() - (done[job.name] ?? 0);
      // A time in the future is that of a clock that was ahead.
      this.jobs.set(job, now + (sinceMs < 0 ? 0 : Math.max(0, job.everyMs - sinceMs)));
    }
  }

  private start(job: Job): void {
    const work = this.run(job).finally(() => this.running.delete(job));
    this.running.set(job, work);
  }

  private async run(job: Job): Promise<void> {
    const started = performance.now();
    try {
      await job.run(this.goesOn);
      if (!this.goesOn()) return;
      this.jobs.set(job, started + job.everyMs);
      if (job.everyMs >= RECORDED_MS) await this.lease.finish(job.name, this.clock.now());
    } catch (error) {
      this.jobs.set(job, performance.now() + Math.min(job.everyMs, RETRY_MS));
      this.report(error);
    }
  }

  private report(error: unknown): void {
    if (!this.isStopping && !isDatabaseUnavailable(error)) this.logger.error({ ...describeError(error) });
  }
}
