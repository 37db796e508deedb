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

/** The {@link Postings} of all words. A word is written `en planet`, with the language first. */
export class PostingLists {
  private readonly lists = new Map<string, Postings>();
  private sorted?: Map<string, string[]>;

  add(word: string, passage: number, weight: number, inHeading: boolean): void {
    const entry = ((passage << SHIFT) | (inHeading ? HEADING : 0) | Math.min(weight, MAX_WEIGHT)) >>> 0;
    const list = this.lists.get(word);
    if (list) return list.push(entry);
    this.lists.set(word, new Postings(entry));
    this.sorted = undefined;
  }

  get(word: string): Postings | undefined {
    return this.lists.get(word);
  }

  /** The words of a language, without it. */
  terms(language: string): readonly string[] {
    if (!this.sorted) {
      this.sorted = new Map();
      for (const word of this.lists.keys()) {
        const code = word.slice(0, 2);
        const terms = this.sorted.get(code) ?? [];
        terms.push(word.slice(3));
        this.sorted.set(code, terms);
      }
    }
    return this.sorted.get(language) ?? [];
  }

  /** Drops the entries of passages that are gone. @param places the new number of each passage that is kept */
  renumber(places: ReadonlyMap<number, number>): void {
    for (const [word, list] of this.lists) {
      let kept: Postings | undefined;
      for (let index = 0; index < list.length; index++) {
        const place = places.get(list.passage(index));
        if (place === undefined) continue;
        const entry = ((place << SHIFT) | (list.entry(index) & (HEADING | MAX_WEIGHT))) >>> 0;
        if (kept) kept.push(entry);
        else kept = new Postings(entry);
      }
      if (kept) this.lists.set(word, kept);
      else this.lists.delete(word);
    }
    this.sorted = undefined;
  }
}
