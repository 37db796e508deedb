import { FairShare } from './fair-share.js';
import { Counts } from './keyed-counter.js';

/** There is no room to wait, or others need the place more. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';

  constructor() {
    super('Too many wait.');
  }
}

/** Whether work may start. @param active how much each of its holders has in progress */
export type MayStart = (active: readonly number[]) => boolean;

interface Waiting {
  /** Who it is for, in each respect. */
  readonly keys: readonly string[];
  readonly mayStart: MayStart;
  start(): void;
}

const always: MayStart = () => true;

/**
 * Work of which a process does a part at a time. The rest waits: whoever has least in progress comes next, in the order of
 * arrival. Once all places are taken, whoever waits for most gives way to whoever waits for less, as in {@link FairShare}.
 *
 * @example
 * ```ts
 * const leave = await this.queue.enter([ownerKey(owner), address], { signal });
 * try { … } finally { leave(); }
 * ```
 */
export class FairQueue {
  private readonly places: FairShare;
  private readonly waiting = new Set<Waiting>();
  private readonly active = new Counts();
  private running = 0;

  /**
   * @param atOnce how much is in progress at a time
   * @param places how much may wait besides
   */
  constructor(
    private readonly atOnce: number,
    places: number,
  ) {
    this.places = new FairShare(places);
  }

  /** How much of a user's waits. */
  waitingOf(user: string): number {
    return this.places.sizeOf(user);
  }

  /** Starts work if it need not wait. @returns what to call at its end */
  enterAtOnce(holders: readonly string[], mayStart = always): (() => void) | undefined {
    const keys = keysOf(holders);
    return this.running < this.atOnce && mayStart(this.activeOf(keys)) ? this.start(keys) : undefined;
  }

  /**
   * Starts work when its turn has come.
   *
   * @param holders whose it is: the user, then possibly the address
   * @returns what to call at its end
   * @throws QueueFullError
   * @throws the signal's reason
   */
  async enter(
    holders: readonly string[],
    { signal, mayStart = always }: { signal?: AbortSignal; mayStart?: MayStart } = {},
  ): Promise<() => void> {
    signal?.throwIfAborted();
    return this.enterAtOnce(holders, mayStart) ?? this.wait(holders, mayStart, signal);
  }

  private wait(holders: readonly string[], mayStart: MayStart, signal?: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const stopWaiting = () => {
        this.waiting.delete(waiting);
        signal?.removeEventListener('abort', abort);
      };
      const keys = keysOf(holders);
      const release = this.places.acquire(holders, () => {
        stopWaiting();
        reject(new QueueFullError());
      });
      if (!release) return reject(new QueueFullError());
      const end = () => (stopWaiting(), release());
      const abort = () => (end(), reject(signal!.reason as Error));
      const waiting: Waiting = { keys, mayStart, start: () => (end(), resolve(this.start(keys))) };
      this.waiting.add(waiting);
      signal?.addEventListener('abort', abort);
    });
  }

  private start(keys: readonly string[]): () => void {
    const count = (change: number) => {
      this.running += change;
      for (const key of keys) this.active.add(key, change);
    };
    count(1);
    return () => {
      count(-1);
      while (this.running < this.atOnce) {
        const next = this.findNext();
        if (!next) return;
        next.start();
      }
    };
  }

  /** By the last respect first: where users cost nothing, the address counts. */
  private findNext(): Waiting | undefined {
    let next: Waiting | undefined;
    let least = [Infinity, Infinity];
    for (const one of this.waiting) {
      const shares = [this.active.get(one.keys.at(-1)!), this.active.get(one.keys[0]!)];
      const isLess = shares[0]! < least[0]! || (shares[0] === least[0] && shares[1]! < least[1]!);
      if (!isLess || !one.mayStart(this.activeOf(one.keys))) continue;
      [next, least] = [one, shares];
      if (shares[0] === 0) break;
    }
    return next;
  }

  private activeOf(keys: readonly string[]): number[] {
    return keys.map((key) => this.active.get(key));
  }
}

function keysOf(holders: readonly string[]): string[] {
  return holders.map((holder, respect) => `${respect} ${holder}`);
}
