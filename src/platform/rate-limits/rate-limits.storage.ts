import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { Clock } from '../config/index.js';
import { Database, isDatabaseUnavailable } from '../database/index.js';
import { failure } from '../errors/index.js';
import { describeError, loggerOf } from '../logging/index.js';
import { LimitsRepository } from './rate-limits.repository.js';

/** The part of a limit that a process lets through before it tells the shared count, which tells what the others did. */
const STEP = 1 / 20;
/** Subjects after which those that have not asked for the longest are forgotten. At most twice as many are held. */
const MAX_SUBJECTS = 20_000;
/** After a failure of the database, in milliseconds. */
const PAUSE = 1000;
/** The longest window of any limit, in milliseconds. */
const LONGEST_WINDOW = 60_000;
/** How long a shared count outlives its window, for processes whose clocks are behind, in milliseconds. */
const LINGER = 60_000;

/** One subject's current window. */
interface Window {
  readonly id: string;
  /** Unix time in milliseconds, as is `ends`. */
  readonly begins: number;
  readonly ends: number;
  /** What all processes together had counted when this one last asked. */
  shared: number;
  /** What this process has counted since. */
  unshared: number;
  sharing: boolean;
}

/**
 * Counts requests in fixed windows, here and, by a shared count in the database, over all processes. No request waits for
 * the database: each process decides by what it knows, and tells its part in steps. So a subject that asks little costs
 * no trip to the database, and one that is spread over several processes gets at most a twentieth of its limit too much
 * in each, plus what comes during one trip. Without the database every process goes on counting for itself.
 */
@Injectable()
export class LimitsStorage implements ThrottlerStorage {
  private readonly logger = loggerOf(LimitsStorage.name);
  /** Who has asked lately, and who asked in the time before that: two generations, the older of which is dropped whole. */
  private recent = new Map<string, Window>();
  private older = new Map<string, Window>();
  private generationEnds = 0;
  private pausedUntil = 0;
  private forgottenUntil = 0;

  constructor(
    private readonly limits: LimitsRepository,
    private readonly clock: Clock,
    database: Database,
  ) {
    // What processes have counted whose clocks were ahead, and right again before they ended.
    database.onReady(() => this.forgetFuture(LONGEST_WINDOW, clock.now()));
  }

  /** How many subjects are held in memory. */
  get size(): number {
    return new Set([...this.recent.keys(), ...this.older.keys()]).size;
  }

  /** Counts a request, unless its subject has reached the limit. Times are in milliseconds, in the answer in seconds. */
  async increment(subject: string, ttl: number, limit: number) {
    const now = this.clock.now();
    const elapsed = this.clock.monotonic();
    const window = this.windowOf(subject, ttl, now, elapsed);
    const isBlocked = window.shared + window.unshared >= limit;
    if (!isBlocked) {
      window.unshared++;
      if (!window.sharing && elapsed >= this.pausedUntil) void this.share(window, limit * STEP);
    }
    const timeToExpire = Math.ceil((window.ends - now) / 1000);
    return {
      totalHits: window.shared + window.unshared + (isBlocked ? 1 : 0),
      timeToExpire,
      isBlocked,
      timeToBlockExpire: isBlocked ? timeToExpire : 0,
    };
  }

  /** Counts one of so many a minute. @throws ServiceError `rate_limited` if it is one too many */
  async demand(subject: string, limit: number): Promise<void> {
    const { isBlocked, timeToBlockExpire } = await this.increment(subject, LONGEST_WINDOW, limit);
    if (isBlocked) throw failure('rate_limited', Math.max(1, timeToBlockExpire));
  }

  private windowOf(subject: string, ttl: number, now: number, elapsed: number): Window {
    if (elapsed >= this.generationEnds || this.recent.size >= MAX_SUBJECTS) {
      this.older = this.recent;
      this.recent = new Map();
      this.generationEnds = elapsed + ttl;
    }
    let window = this.recent.get(subject) ?? this.older.get(subject);
    // A window that has yet to begin is of a clock that has been set back since.
    if (window && window.begins > now) void this.forgetFuture(ttl, now);
    if (!window || window.ends <= now || window.begins > now) window = newWindow(subject, ttl, now);
    this.recent.set(subject, window);
    return window;
  }

  /**
   * Removes shared counts of windows that no clock which is right can have reached: a clock was ahead, and when those
   * windows come, they would hold what was counted then.
   */
  private async forgetFuture(ttl: number, now: number): Promise<void> {
    const elapsed = this.clock.monotonic();
    if (elapsed < this.forgottenUntil) return;
    this.forgottenUntil = elapsed + PAUSE;
    try {
      await this.limits.removeAfter(new Date(now + ttl + LINGER));
    } catch (error) {
      if (!isDatabaseUnavailable(error)) this.logger.error({ ...describeError(error) });
    }
  }

  /** Tells the shared count what it has not been told, until that is less than a step. */
  private async share(window: Window, step: number): Promise<void> {
    window.sharing = true;
    try {
      while (window.unshared >= step) {
        const hits = window.unshared;
        window.shared = await this.limits.add(window.id, hits, new Date(window.ends + LINGER));
        window.unshared -= hits;
      }
    } catch (error) {
      this.pausedUntil = this.clock.monotonic() + PAUSE;
      if (!isDatabaseUnavailable(error)) this.logger.error({ ...describeError(error) });
    } finally {
      window.sharing = false;
    }
  }
}

/** Windows of different subjects begin at different times, which all processes agree on. */
function newWindow(subject: string, ttl: number, now: number): Window {
  const shift = createHash('sha256').update(subject).digest().readUInt32BE() % ttl;
  const number = Math.floor((now + shift) / ttl);
  const begins = number * ttl - shift;
  return { id: `${subject} ${number}`, begins, ends: begins + ttl, shared: 0, unshared: 0, sharing: false };
}
