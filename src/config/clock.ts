/** The time, injected so that expiry is tested with a clock and not with a sleep. */
export abstract class Clock {
  /** Milliseconds since 1970, UTC. */
  abstract now(): number;
}

export class SystemClock extends Clock {
  now(): number {
    return Date.now();
  }
}
