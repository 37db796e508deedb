/** Something of what users share. */
export interface Held {
  /** Who has it: the user, then, where users cost nothing, the address. */
  readonly holders: readonly string[];
}

/** The newest of whoever has most of a queue; undefined if that is no more than the holder of a new one would have. */
export function newestOfLargest<T extends Held>(queue: readonly T[], { holders: others }: Held): T | undefined {
  let largest: T | undefined;
  let most = 1;
  for (const one of queue) {
    let respect = Math.max(one.holders.length, others.length) - 1;
    while (respect > 0 && one.holders[respect] === others[respect]) respect--;
    // A user without an address counts as one.
    const at = (all: readonly string[]) => (respect in all ? respect : 0);
    const sizeOf = (all: readonly string[]) => queue.filter((each) => each.holders[at(all)] === all[at(all)]).length;
    const excess = sizeOf(one.holders) - sizeOf(others) - 1;
    if (excess >= most) [most, largest] = [excess, one];
  }
  return largest;
}
