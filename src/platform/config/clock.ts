/** The time, injected so that expiry is tested with a clock and not with a sleep. */
export abstract class Clock {
  /** Unix time in milliseconds. It jumps when the machine's clock is set, so it is for dates and not for durations. */
  abstract now(): number;

  /** Milliseconds since some moment, by a clock that is never set: for durations within this process. */
  monotonic(): number {
    return performance.now();
  }
}

export class SystemClock extends Clock {
  now(): number {
    return Date.now();
  }
}

/** The last millisecond that a `Date` can hold, counted from 1970; the first is as far before. */
export const LAST_DATE_MS = 8_640_000_000_000_000;

/** Unix time in milliseconds as ISO 8601 in UTC. What no `Date` can hold becomes the nearest that one can. */
export function isoDate(ms: number): string {
  const known = Number.isNaN(Number(ms)) ? 0 : Number(ms);
  return new Date(Math.min(LAST_DATE_MS, Math.max(-LAST_DATE_MS, known))).toISOString();
}
