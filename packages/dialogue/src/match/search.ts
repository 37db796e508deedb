import { errorsBetween, isSimilar, MOST_ERRORS } from '../text/typos.js';

/** An example that has a term of a request, or one like it. */
export interface Found {
  readonly id: number;
  /** Those of its terms that are like a term of the request. */
  readonly similar: readonly string[];
}

/** What is found by a term with typing errors counts so much less. */
const SIMILAR = 0.45;
/** Of BM25+, as search engines have them. */
const [K, B, D] = [1.2, 0.7, 0.5];
const NONE: readonly string[] = [];

/** What a search works out for each example, kept for the next one, of any index: the ids that were touched are set back. */
let scores = new Float64Array();
let asked = new Uint8Array();
let last = new Int16Array();

/**
 * Finds examples by their terms and ranks them by BM25+. What is in it takes little memory: the ids of the examples
 * of all terms in one array.
 */
export class ExampleSearch {
  /** Where the ids of a term begin, by the term's number. */
  private readonly starts: Int32Array;
  private readonly ids: Int32Array;
  /** How many terms each example has, by its id. */
  private readonly lengths: Uint8Array;
  /** Terms by their first letters, for those with an error. */
  private readonly byLetter = new Map<string, string[]>();
  private readonly count: number;
  private readonly mean: number;

  /**
   * @param examples the terms of each, each of them once; `undefined` for ids that are none here
   * @param numbers from 0 on, of all terms
   */
  constructor(
    examples: readonly (readonly string[] | undefined)[],
    private readonly numbers: ReadonlyMap<string, number>,
  ) {
    if (examples.length > scores.length) {
      scores = new Float64Array(examples.length);
      asked = new Uint8Array(examples.length);
      last = new Int16Array(examples.length);
    }
    this.starts = new Int32Array(numbers.size + 1);
    this.lengths = Uint8Array.from(examples, (terms) => terms?.length ?? 0);
    let [sum, count] = [0, 0];
    for (const terms of examples) {
      if (!terms) continue;
      count++;
      sum += terms.length;
      for (const term of terms) this.starts[numbers.get(term)! + 1]!++;
    }
    this.count = count;
    this.mean = sum / count;
    for (let number = 0; number < numbers.size; number++) this.starts[number + 1]! += this.starts[number]!;
    this.ids = new Int32Array(sum);
    const next = this.starts.slice();
    examples.forEach((terms, id) => terms?.forEach((term) => (this.ids[next[numbers.get(term)!]!++] = id)));
    for (const [term, number] of numbers) {
      if (this.starts[number] === this.starts[number + 1]) continue;
      const known = this.byLetter.get(term[0]!);
      if (known) known.push(term);
      else this.byLetter.set(term[0]!, [term]);
    }
  }

  /**
   * The best ones first.
   *
   * @param isMisspelt whether a term may have typing errors
   */
  find(request: readonly string[], most: number, isMisspelt: (term: string) => boolean): readonly Found[] {
    const touched: number[] = [];
    const similar = new Map<number, string[]>();
    for (const [index, term] of request.entries()) {
      const number = this.numbers.get(term);
      if (number !== undefined) this.add(number, 1, index, touched);
      for (const [other, errors] of isMisspelt(term) ? this.like(term) : []) {
        const at = this.numbers.get(other)!;
        this.add(at, (SIMILAR * other.length) / (other.length + errors), index, touched);
        for (let from = this.starts[at]!; from < this.starts[at + 1]!; from++) {
          const id = this.ids[from]!;
          similar.set(id, [...(similar.get(id) ?? []), other]);
        }
      }
    }
    for (const id of touched) scores[id]! *= asked[id]!;
    const best = touched.sort((a, b) => (scores[a]! < scores[b]! ? 1 : scores[a]! > scores[b]! ? -1 : a - b));
    const found = best.slice(0, most).map((id) => ({ id, similar: similar.get(id) ?? NONE }));
    for (const id of touched) scores[id] = asked[id] = 0;
    return found;
  }

  private add(number: number, weight: number, index: number, touched: number[]): void {
    const [from, to] = [this.starts[number]!, this.starts[number + 1]!];
    const rarity = weight * Math.log(1 + (this.count - (to - from) + 0.5) / (to - from + 0.5));
    for (let at = from; at < to; at++) {
      const id = this.ids[at]!;
      const score = rarity * (D + (K + 1) / (1 + K * (1 - B + (B * this.lengths[id]!) / this.mean)));
      if (!asked[id]) {
        touched.push(id);
        last[id] = -1;
      }
      scores[id]! += score;
      if (last[id] !== index) asked[id]!++;
      last[id] = index;
    }
  }

  /** Terms that are another with typing errors, and how many. */
  private like(term: string): [string, number][] {
    return (this.byLetter.get(term[0]!) ?? [])
      .filter((other) => other !== term && isSimilar(other, term))
      .map((other) => [other, errorsBetween(other, term, MOST_ERRORS)]);
  }
}
