import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { Clock } from '../platform/config/index.js';
import { Database, isDatabaseUnavailable } from '../platform/database/index.js';
import { withTimeout } from 'avatar-chat-runtime';
import { limitReached } from '../platform/limits/index.js';
import { describeError, loggerOf } from '../platform/logging/index.js';
import { LimitsRepository } from './rate-limits.repository.js';

/** The share of a limit that a process grants before it counts in the database again: as long as no other one counts, */
const STEP_ALONE = 1 / 20;
/** and otherwise. */
const STEP = 1 / 300;
/** How long a request waits for the database, in milliseconds; then it counts in this process only. */
const MAX_WAIT_MS = 250;
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
  /** The latest shared count; undefined before the first. */
  shared?: number;
  /** What this process has added to it. */
  own: number;
  /** What it is adding. */
  inFlight: number;
  /** Requests that it has not added yet. */
  unshared: number;
}

/**
 * Counts requests in fixed windows, in memory and, through a shared count in the database, across all processes. The
 * first request of a window waits for that count. A process that has been alone grants a step without it; if others count
 * too, the steps are small, or none. So a subject exceeds its limit by a few requests, in any number of processes. Without
 * the database, every process counts for itself.
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
    const isBlocked = hitsOf(window) >= limit || !(await this.count(window, limit, elapsed));
    const timeToExpire = Math.ceil((window.ends - now) / 1000);
    return {
      totalHits: isBlocked ? Math.max(hitsOf(window), limit) + 1 : hitsOf(window),
      timeToExpire,
      isBlocked,
      timeToBlockExpire: isBlocked ? timeToExpire : 0,
    };
  }

  /** Counts a request of a per-minute limit. @throws ServiceError `rate_limited` if it exceeds the limit */
  async assertBelow(subject: string, limit: number): Promise<void> {
    const { isBlocked, timeToBlockExpire } = await this.increment(subject, LONGEST_WINDOW_MS, limit);
    if (isBlocked) throw limitReached(subject.split(' ', 1)[0]!, timeToBlockExpire);
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

  /** Counts a request. @returns whether the limit allows it */
  private async count(window: Window, limit: number, elapsed: number): Promise<boolean> {
    const isAlone = (window.shared ?? Infinity) <= window.own;
    const step = window.shared === undefined ? 0 : Math.floor(limit * (isAlone ? STEP_ALONE : STEP));
    // Those on their way to the shared count are not in that of the others yet.
    const unknown = window.unshared + (isAlone ? 0 : window.inFlight);
    if (elapsed < this.pausedUntil || unknown < step) {
      window.unshared++;
      return true;
    }
    const counted = this.share(window, window.unshared + 1);
    const shared = await withTimeout(counted, MAX_WAIT_MS, () => new Error('late')).catch(() => 0);
    return shared <= limit;
  }

  /** Adds to the shared count. @returns the new count, or 0 without the database */
  private async share(window: Window, hits: number): Promise<number> {
    window.unshared = 0;
    window.inFlight += hits;
    try {
      const shared = await this.limits.add(window.id, hits, new Date(window.ends + LINGER_MS));
      window.own += hits;
      window.shared = Math.max(window.shared ?? 0, shared);
      return shared;
    } catch (error) {
      window.unshared += hits;
      this.pausedUntil = this.clock.monotonic() + PAUSE_MS;
      if (!isDatabaseUnavailable(error)) this.logger.error({ ...describeError(error) });
      return 0;
    } finally {
      window.inFlight -= hits;
    }
  }
}

function hitsOf({ shared = 0, inFlight, unshared }: Window): number {
  return shared + inFlight + unshared;
}

/** Windows of different subjects start at different times, which are the same in all processes. */
function newWindow(subject: string, ttl: number, now: number): Window {
  const shift = hash('sha256', subject, 'buffer').readUInt32BE() % ttl;
  const number = Math.floor((now + shift) / ttl);
  const begins = number * ttl - shift;
  return { id: `${subject} ${number}`, begins, ends: begins + ttl, own: 0, inFlight: 0, unshared: 0 };
}
