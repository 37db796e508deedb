import SearchableMap from 'minisearch/SearchableMap';

/** An example that has a term of a request, or one like it. */
export interface Found {
  readonly id: number;
  /** Those of its terms that it was found by. */
  readonly terms: readonly string[];
}

/** What is found by a term with typing errors counts so much less. */
const SIMILAR = 0.45;
/** Of BM25+, as MiniSearch has them. */
const [K, B, D] = [1.2, 0.7, 0.5];

/**
 * Finds examples by their terms, in MiniSearch's tree of words, and ranks them as MiniSearch would, by BM25+. Its own index
 * keeps two maps for each term, for documents of several fields in which words come several times: twice the memory.
 */
export class ExampleSearch {
  private readonly idsByTerm = new SearchableMap<number[]>();
  /** How many terms each example has, by its id. */
  private readonly lengths: number[] = [];
  private count = 0;
  private sum = 0;

  /** @param terms each of them once */
  add(id: number, terms: readonly string[]): void {
    for (const term of terms) this.idsByTerm.fetch(term, () => []).push(id);
    this.lengths[id] = terms.length;
    this.count++;
    this.sum += terms.length;
  }

  /**
   * The best ones first.
   *
   * @param editsOf how many typing errors a term may have
   */
  find(request: readonly string[], most: number, editsOf: (term: string) => number | false): readonly Found[] {
    const found = new Map<number, { id: number; score: number; asked: number; last: string; terms: string[] }>();
    const mean = this.sum / this.count;
    const add = (asked: string, term: string, ids: readonly number[], weight: number) => {
      const rarity = Math.log(1 + (this.count - ids.length + 0.5) / (ids.length + 0.5));
      for (const id of ids) {
        const score = weight * rarity * (D + (K + 1) / (1 + K * (1 - B + (B * this.lengths[id]!) / mean)));
        const known = found.get(id);
        if (!known) found.set(id, { id, score, asked: 1, last: asked, terms: [term] });
        else {
          known.score += score;
          if (known.last !== asked) known.asked++;
          known.last = asked;
          if (!known.terms.includes(term)) known.terms.push(term);
        }
      }
    };
    for (const asked of request) {
      const ids = this.idsByTerm.get(asked);
      if (ids) add(asked, asked, ids, 1);
      const edits = editsOf(asked);
      if (!edits) continue;
      for (const [term, [others, distance]] of this.idsByTerm.fuzzyGet(asked, edits))
        if (distance > 0) add(asked, term, others, (SIMILAR * term.length) / (term.length + distance));
    }
    return [...found.values()].sort((a, b) => b.score * b.asked - a.score * a.asked).slice(0, most);
  }
}
