import { Clock } from '../platform/config/index.js';

/** A clock that stands still until it is moved. Times are Unix time in milliseconds. */
export class TestClock extends Clock {
  private elapsed = 0;

  constructor(private time = Date.now()) {
    super();
  }
  now(): number {
    return this.time;
  }
  override monotonic(): number {
    return this.elapsed;
  }
  /** Lets time pass. */
  advance(milliseconds: number): void {
    this.time += milliseconds;
    this.elapsed += milliseconds;
  }
  /** Sets the clock forward or, with a negative number, back, like an operator or NTP; no time passes. */
  set(milliseconds: number): void {
    this.time += milliseconds;
  }
}
