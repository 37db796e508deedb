import { setImmediate } from 'node:timers/promises';

/** What gives documents says this instead of one when its slice of time is over: ask again after others had a turn. */
export const LATER = Symbol('later');

/** How long one command may keep the thread before the others have a turn, in milliseconds. */
const SLICE_MS = 10;

/** A slice of the thread's time. */
export class Slice {
  private readonly end = performance.now() + SLICE_MS;

  over(): boolean {
    return performance.now() > this.end;
  }
}

/** Lets everything else that waits have its turn. */
export const others = (): Promise<void> => setImmediate();
