import { Shape } from '../text/shape.js';
import { ExampleTerms } from '../text/terms.js';
import { isSimilar } from '../text/typos.js';

/**
 * The examples of an index, side by side: their terms as numbers, from 0 on. There are thousands; as objects they took four
 * times the memory.
 */
export class Examples {
  /** Where the terms of each begin. */
  private readonly starts: Int32Array;
  private readonly terms: Int32Array;
  /** What each term counts, by its place among the counts that there are. */
  private readonly counts: Uint8Array;
  private readonly distinct: readonly number[];
  private readonly shapes: readonly (Shape | undefined)[];
  private readonly names: readonly string[];

  /** @param numbers of all terms */
  constructor(
    examples: readonly ExampleTerms[],
    private readonly numbers: ReadonlyMap<string, number>,
  ) {
    let at = 0;
    this.starts = Int32Array.from([...examples, { terms: [] }], ({ terms }) => (at += terms.length) - terms.length);
    this.terms = Int32Array.from(examples.flatMap(({ terms }) => terms.map((term) => numbers.get(term)!)));
    this.distinct = [...new Set(examples.flatMap(({ counts }) => counts))];
    this.counts = Uint8Array.from(
      examples.flatMap(({ counts }) => counts.map((count) => this.distinct.indexOf(count))),
    );
    this.shapes = examples.map(({ shape }) => shape);
    this.names = [...numbers.keys()];
  }

  shapeOf(id: number): Shape | undefined {
    return this.shapes[id];
  }

  /** Where the terms of an example begin, and behind the last those of the next. */
  startOf(id: number): number {
    return this.starts[id]!;
  }

  /** The number of the term at a place. */
  numberAt(place: number): number {
    return this.terms[place]!;
  }

  /** What the term at a place counts. */
  countAt(place: number): number {
    return this.distinct[this.counts[place]!]!;
  }

  nameOf(number: number): string {
    return this.names[number]!;
  }

  /** Whether an example has the term of a number. */
  hasNumber(id: number, number: number): boolean {
    for (let place = this.starts[id]!; place < this.starts[id + 1]!; place++)
      if (this.terms[place] === number) return true;
    return false;
  }

  has(id: number, term: string): boolean {
    const number = this.numbers.get(term);
    return number !== undefined && this.hasNumber(id, number);
  }

  /** Whether an example has a term, or one that may be that with a typing error. */
  hasLike(id: number, term: string): boolean {
    if (this.has(id, term)) return true;
    for (let place = this.starts[id]!; place < this.starts[id + 1]!; place++)
      if (isSimilar(this.nameOf(this.terms[place]!), term)) return true;
    return false;
  }

  /** The terms of an example that say something. */
  contentOf(id: number): string[] {
    return this.of(id).content();
  }

  of(id: number): ExampleTerms {
    const places = Array.from(
      { length: this.starts[id + 1]! - this.starts[id]! },
      (_, index) => this.starts[id]! + index,
    );
    return new ExampleTerms(
      places.map((place) => this.nameOf(this.terms[place]!)),
      places.map((place) => this.countAt(place)),
      this.shapes[id],
    );
  }
}
