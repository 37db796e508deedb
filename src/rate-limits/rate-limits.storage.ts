import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { Clock } from '../platform/config/index.js';
import { Database, isDatabaseUnavailable } from '../platform/database/index.js';
import { failure } from '../platform/errors/index.js';
import { describeError, loggerOf } from '../platform/logging/index.js';
import { LimitsRepository } from './rate-limits.repository.js';

/** The share of a limit that a process grants before it synchronizes with the shared count. */
const STEP = 1 / 20;
/** Number of subjects above which the least recently active are dropped. At most twice as many are held. */
const MAX_SUBJECTS = 20_000;
/** Backoff after a failure of the database, in milliseconds. */
const PAUSE_MS = 1000;
/** The longest window of any limit, in milliseconds. */
const LONGEST_WINDOW_MS = 60_000;
/** How long a shared count outlives its window, for processes whose clocks are behind, in milliseconds. */
const LINGER_MS = 60_000;

/** One subject's current window. */
interface Window {
  readonly id: string;
  /** Unix time in milliseconds, as is `ends`. */
  readonly begins: number;
  readonly ends: number;
  /** The shared count at the last synchronization. */
  shared: number;
  /** Requests counted by this process since then. */
  unshared: number;
  sharing: boolean;
}

/**
 * Counts requests in fixed windows, in memory and, through a shared count in the database, across all processes. No
 * request waits for the database: each process decides by what it knows, and synchronizes in steps. So a subject with
 * few requests costs no query, and one that is spread over several processes exceeds its limit by at most a twentieth
 * in each, plus the requests during one round trip. Without the database, every process counts for itself.
 */
@Injectable()
export class LimitsStorage implements ThrottlerStorage {
  private readonly logger = loggerOf(LimitsStorage.name);
  /** Recently active subjects in two generations; the older one is dropped as a whole. */
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
    // Removes counts by processes whose clocks were ahead, and corrected before they ended.
    database.onReady(() => this.forgetFuture(LONGEST_WINDOW_MS, clock.now()));
  }

  /** Number of subjects in memory. */
  get size(): number {
    return new Set([...this.recent.keys(), ...this.older.keys()]).size;
  }

  /**
   * Counts a request, unless its subject has reached the limit. Times are in milliseconds, in the result in seconds.
   */
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

  /** Counts a request of a per-minute limit. @throws ServiceError `rate_limited` if it exceeds the limit */
  async assertBelow(subject: string, limit: number): Promise<void> {
    const { isBlocked, timeToBlockExpire } = await this.increment(subject, LONGEST_WINDOW_MS, limit);
    if (isBlocked) throw failure('rate_limited', Math.max(1, timeToBlockExpire));
  }

  private windowOf(subject: string, ttl: number, now: number, elapsed: number): Window {
    if (elapsed >= this.generationEnds || this.recent.size >= MAX_SUBJECTS) {
      this.older = this.recent;
      this.recent = new Map();
      this.generationEnds = elapsed + ttl;
    }
    let window = this.recent.get(subject) ?? this.older.get(subject);
    // A window in the future was created before the clock was set back.
    if (window && window.begins > now) void this.forgetFuture(ttl, now);
    if (!window || window.ends <= now || window.begins > now) window = newWindow(subject, ttl, now);
    this.recent.set(subject, window);
    return window;
  }

  /**
   * Removes shared counts of windows that no correct clock can have reached: a clock was ahead, and these counts would
   * apply when the windows come.
   */
  private async forgetFuture(ttl: number, now: number): Promise<void> {
    const elapsed = this.clock.monotonic();
    if (elapsed < this.forgottenUntil) return;
    this.forgottenUntil = elapsed + PAUSE_MS;
    try {
      await this.limits.removeAfter(new Date(now + ttl + LINGER_MS));
    } catch (error) {
      if (!isDatabaseUnavailable(error)) this.logger.error({ ...describeError(error) });
    }
  }

  /** Adds local counts to the shared count, until less than a step remains. */
  private async share(window: Window, step: number): Promise<void> {
    window.sharing = true;
    try {
      while (window.unshared >= step) {
        const hits = window.unshared;
        window.shared = await this.limits.add(window.id, hits, new Date(window.ends + LINGER_MS));
        window.unshared -= hits;
      }
    } catch (error) {
      this.pausedUntil = this.clock.monotonic() + PAUSE_MS;
      if (!isDatabaseUnavailable(error)) this.logger.error({ ...describeError(error) });
    } finally {
      window.sharing = false;
    }
  }
}

/** Windows of different subjects start at different times, which are the same in all processes. */
function newWindow(subject: string, ttl: number, now: number): Window {
  const shift = hash('sha256', subject, 'buffer').readUInt32BE() % ttl;
  const number = Math.floor((now + shift) / ttl);
  const begins = number * ttl - shift;
  return { id: `${subject} ${number}`, begins, ends: begins + ttl, shared: 0, unshared: 0, sharing: false };
}
