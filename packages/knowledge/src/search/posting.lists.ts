/** Bits of an entry: the weight of the word in the passage, and whether it is in its heading. */
const WEIGHT_BITS = 4;
const MAX_WEIGHT = (1 << WEIGHT_BITS) - 1;
const HEADING = 1 << WEIGHT_BITS;
const SHIFT = WEIGHT_BITS + 1;

/** The passages that a word occurs in, in four bytes each: most words occur once, so that one needs no array. */
export class Postings {
  private entries: number | Uint32Array;
  length = 1;

  constructor(entry: number) {
    this.entries = entry;
  }

  push(entry: number): void {
    if (typeof this.entries === 'number') this.entries = new Uint32Array([this.entries, 0]);
    if (this.length === this.entries.length) {
      const larger = new Uint32Array(Math.ceil(this.length * 1.5));
      larger.set(this.entries);
      this.entries = larger;
    }
    this.entries[this.length++] = entry;
  }

  entry(index: number): number {
    return typeof this.entries === 'number' ? this.entries : this.entries[index]!;
  }
  passage(index: number): number {
    return this.entry(index) >>> SHIFT;
  }
  weight(index: number): number {
    return this.entry(index) & MAX_WEIGHT;
  }
  isInHeading(index: number): boolean {
    return (this.entry(index) & HEADING) !== 0;
  }
}

/** Words are divided by their first letters, so that similar ones are looked for among few. */
const DIVISIONS = 32;

/** The {@link Postings} of all words of a language. */
export class PostingLists {
  passages = 0;
  /** Of all passages together. */
  words = 0;
  private readonly divisions = Array.from({ length: DIVISIONS }, () => new Map<string, Postings>());
  private readonly endings = new Map<string, string[]>();

  /** @param isCompounding whether compounds are one word, so that a question may name a part, or a compound of a part */
  constructor(private readonly isCompounding: boolean) {}

  add(word: string, passage: number, weight: number, inHeading: boolean): void {
    const entry = ((passage << SHIFT) | (inHeading ? HEADING : 0) | Math.min(weight, MAX_WEIGHT)) >>> 0;
    const list = this.get(word);
    if (list) return list.push(entry);
    this.startingLike(word).set(word, new Postings(entry));
    if (!this.isCompounding) return;
    const ending = this.endingLike(word);
    if (ending.push(word) === 1) this.endings.set(word.slice(-2), ending);
  }

  get(word: string): Postings | undefined {
    return this.startingLike(word).get(word);
  }

  /** All words with the first letter of this one, and others. */
  startingLike(word: string): Map<string, Postings> {
    return this.divisions[word.charCodeAt(0) % DIVISIONS]!;
  }

  /** All words with the last two letters of this one. */
  endingLike(word: string): string[] {
    return this.endings.get(word.slice(-2)) ?? [];
  }

  /** Drops the entries of passages that are gone. @param places the new number of each passage that is kept */
  renumber(places: ReadonlyMap<number, number>): void {
    for (const words of this.divisions)
      for (const [word, list] of words) {
        let kept: Postings | undefined;
        for (let index = 0; index < list.length; index++) {
          const place = places.get(list.passage(index));
          if (place === undefined) continue;
          const entry = ((place << SHIFT) | (list.entry(index) & (HEADING | MAX_WEIGHT))) >>> 0;
          if (kept) kept.push(entry);
          else kept = new Postings(entry);
        }
        if (kept) words.set(word, kept);
        else words.delete(word);
      }
    for (const [ending, words] of this.endings) {
      const kept = words.filter((word) => this.get(word));
      this.endings.set(ending, kept);
    }
  }
}
