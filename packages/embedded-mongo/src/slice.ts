import { setImmediate } from 'node:timers/promises';
import { CommandError } from './errors.js';

/** What gives documents says this instead of one when its slice of time is over: ask again after others had a turn. */
export const LATER = Symbol('later');

/** How long one command may keep the thread before the others have a turn, in milliseconds. */
const SLICE_MS = 10;
/** The same within a transaction, each of which costs a sync of the disk. */
export const WRITE_SLICE_MS = 40;

/** A slice of the thread's time. */
export class Slice {
  private readonly end: number;

  constructor(milliseconds = SLICE_MS) {
    this.end = performance.now() + milliseconds;
  }

  over(): boolean {
    return performance.now() > this.end;
  }
}

/** Until when a command may work; the client's own time between two batches of a cursor does not count. */
export class Deadline {
  private end: number;

  /** @param left in milliseconds */
  constructor(private left: number) {
    this.end = performance.now() + left;
  }

  /** To be asked often. @throws CommandError 50 when the time is over. */
  check(): void {
    if (performance.now() > this.end) throw new CommandError('MaxTimeMSExpired', 'operation exceeded time limit');
  }

  stop(): void {
    this.left = this.end - performance.now();
  }

  goOn(): void {
    this.end = performance.now() + this.left;
  }
}

/** Lets everything else that waits have its turn. */
export const others = (): Promise<void> => setImmediate();
