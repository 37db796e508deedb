import { setImmediate } from 'node:timers/promises';
import { CommandError } from '../wire/errors.js';

/**
 * Returned by a source of documents, instead of one, when its time slice is over: neither a document nor the end.
 *
 * All commands share one thread, and a source reads synchronously from a snapshot. Every stage of a pipeline passes `LATER`
 * on. Who reads for a command, such as `Cursors` or `ServerState.documents`, calls `pause`, which releases the snapshot,
 * awaits `letOthersRun`, which throws if the client has gone, and asks again: the source continues where it was. It calls
 * `pause` at the end of a batch, too. In a write transaction nothing can wait: there `LATER` ends the attempt, which has
 * changed nothing, and `changeInSlices` finds the documents first and changes them in transactions of their own.
 */
export const LATER = Symbol('later');

/** How long one command may keep the thread before it lets others run, in milliseconds. */
const SLICE_MS = 10;
/** The same within a transaction. Longer, because each transaction costs a disk sync. */
export const WRITE_SLICE_MS = 40;

/** A time slice of the thread. */
export class Slice {
  private readonly end: number;

  constructor(milliseconds = SLICE_MS) {
    this.end = performance.now() + milliseconds;
  }

  over(): boolean {
    return performance.now() > this.end;
  }
}

/** How long a command may run. The client's own time between two batches of a cursor does not count. */
export class Deadline {
  private end: number;

  /** @param left in milliseconds */
  constructor(private left: number) {
    this.end = performance.now() + left;
  }

  /** Call often. @throws CommandError 50 when the time is over. */
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

/** Lets everything else that is waiting run first. */
export const yieldThread = (): Promise<void> => setImmediate();
