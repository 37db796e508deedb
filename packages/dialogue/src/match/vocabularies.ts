/** Which terms stand in the examples of each intent, all by their numbers, in one array; those of an intent in order. */
export class Vocabularies {
  private readonly numbers: Int32Array;
  /** Where the numbers of each intent begin. */
  private readonly starts: Int32Array;

  constructor(vocabularies: readonly ReadonlySet<number>[]) {
    this.numbers = Int32Array.from(vocabularies.flatMap((numbers) => [...numbers].sort((one, other) => one - other)));
    let last = 0;
    this.starts = Int32Array.from([{ size: 0 }, ...vocabularies], ({ size }) => (last += size));
  }

  /** How many intents have each of so many terms. */
  frequencies(terms: number): Int32Array {
    const frequencies = new Int32Array(terms);
    for (const number of this.numbers) frequencies[number]!++;
    return frequencies;
  }

  has(intent: number, term: number | undefined): boolean {
    if (term === undefined) return false;
    let [from, to] = [this.starts[intent]!, this.starts[intent + 1]!];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.numbers[middle]! < term) from = middle + 1;
      else to = middle;
    }
    return from < this.starts[intent + 1]! && this.numbers[from] === term;
  }
}
