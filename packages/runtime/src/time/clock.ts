/** The current time, injected so that expiry is tested with a clock instead of a sleep. */
export abstract class Clock {
  /** Unix time in milliseconds. It jumps when the machine's clock is set, so use it for dates, not for durations. */
  abstract now(): number;

  /** Milliseconds since an arbitrary moment, by a clock that is never set: for durations within this process. */
  monotonic(): number {
    return performance.now();
  }
}

export class SystemClock extends Clock {
  now(): number {
    return Date.now();
  }
}

/** The largest Unix time in milliseconds that a `Date` can hold; the smallest is its negative. */
export const LAST_DATE_MS = 8_640_000_000_000_000;

/** Unix time in milliseconds as ISO 8601 in UTC. Out-of-range values are clamped. */
export function isoDate(ms: number): string {
  const known = Number.isNaN(Number(ms)) ? 0 : Number(ms);
  return new Date(Math.min(LAST_DATE_MS, Math.max(-LAST_DATE_MS, known))).toISOString();
}
