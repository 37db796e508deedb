import { Counts } from './keyed-counter.js';

/** Part of what is shared, and who holds it. */
interface Holding {
  /** The holder in each respect, the user first. */
  readonly holders: readonly string[];
  readonly size: number;
  giveWay(): void;
}

/**
 * Slots, places of a queue, or bytes that users share. Nobody is refused while there is room. Once all is taken, whoever
 * holds most gives way to whoever holds less.
 *
 * @example
 * ```ts
 * const release = this.slots.acquire([ownerKey(owner), address], () => session.end());
 * if (!release) throw failure('service_unavailable');
 * ```
 */
export class FairShare {
  private readonly holdings = new Set<Holding>();
  private readonly heldBy = new Counts();
  private held = 0;

  constructor(private readonly capacity: number) {}

  /** How much is held in all. */
  get size(): number {
    return this.held;
  }

  /** How much a holder has. @param respect its position among the holders */
  sizeOf(holder: string, respect = 0): number {
    return this.heldBy.get(`${respect} ${holder}`);
  }

  /**
   * Takes a part. The newest parts of the largest holders are freed for it, if they hold more than this one would: where
   * users cost nothing, by the address, and by the user among those of one address.
   *
   * @param holders who takes it, in each respect: the user, then possibly the address
   * @param giveWay called once if it is taken away again; not after its release
   * @param size at least 1
   * @returns a function that releases it; undefined if there is no room
   */
  acquire(holders: readonly string[], giveWay: () => void, size = 1): (() => void) | undefined {
    const leaving: Holding[] = [];
    while (this.held + size > this.capacity) {
      const largest = this.findLargest(holders, size);
      if (!largest) {
        for (const holding of leaving.reverse()) this.add(holding);
        return undefined;
      }
      this.remove(largest);
      leaving.push(largest);
    }
    const holding: Holding = { holders, size, giveWay };
    this.add(holding);
    for (const { giveWay: leave } of leaving) leave();
    return () => this.remove(holding);
  }

  /** The newest part of the holder that exceeds the others' most; undefined if none exceeds what they would hold. */
  private findLargest(others: readonly string[], size: number): Holding | undefined {
    let largest: Holding | undefined;
    let most = 1;
    for (const holding of this.holdings) {
      const excess = this.excessOf(holding.holders, others) - size;
      if (excess < most) continue;
      [most, largest] = [excess, holding];
    }
    return largest;
  }

  /** How much more one has than others, in the last respect in which they differ. A user without an address counts as one. */
  private excessOf(holders: readonly string[], others: readonly string[]): number {
    let respect = Math.max(holders.length, others.length) - 1;
    while (respect > 0 && holders[respect] === others[respect]) respect--;
    const sizeOf = (all: readonly string[]) =>
      respect in all ? this.sizeOf(all[respect]!, respect) : this.sizeOf(all[0]!);
    return sizeOf(holders) - sizeOf(others);
  }

  private add(holding: Holding): void {
    this.holdings.add(holding);
    this.count(holding, holding.size);
  }

  private remove(holding: Holding): void {
    if (this.holdings.delete(holding)) this.count(holding, -holding.size);
  }

  private count({ holders }: Holding, change: number): void {
    this.held += change;
    holders.forEach((holder, respect) => this.heldBy.add(`${respect} ${holder}`, change));
  }
}
