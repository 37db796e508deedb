import { Clock } from '../config/index.js';

/** A clock that stands still until it is moved. Times are milliseconds since 1970. */
export class TestClock extends Clock {
  constructor(private time = Date.now()) {
    super();
  }
  now(): number {
    return this.time;
  }
  advance(milliseconds: number): void {
    this.time += milliseconds;
  }
}
