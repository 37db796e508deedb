import { ASKS, DENIAL, Language, TermWeights } from '../text/language.js';
import { isMisspellable, isSimilar } from '../text/typos.js';

/** What a word with a typing error counts. */
const MISSPELT = 0.85;
/** An example must say nearly all of a request, and a request most of an example. */
const LEAST_OF_REQUEST = 0.7;
const LEAST_OF_EXAMPLE = 0.5;
const OF_REQUEST = 0.65;

/** An example that is like a request, and how much, from 0 to 1. */
export interface Likeness<Rule> {
  readonly rule: Rule;
  readonly score: number;
}

interface Example<Rule> {
  readonly rule: Rule;
  readonly sum: number;
  readonly denies: boolean;
  /** Its terms in their order. */
  readonly terms: readonly string[];
}

/** Examples of what people say, by their terms. */
export class Examples<Rule> {
  private readonly examples: Example<Rule>[] = [];
  private readonly byTerm = new Map<string, number[]>();

  constructor(private readonly language: Language) {}

  add(rule: Rule, text: string): void {
    const terms = this.language.termsOf(this.language.wordsOf(text));
    if (terms.size === 0) return;
    const index =
      this.examples.push({ rule, sum: sumOf(terms), denies: terms.has(DENIAL), terms: [...terms.keys()] }) - 1;
    for (const term of terms.keys()) {
      const places = this.byTerm.get(term);
      if (places) places.push(index);
      else this.byTerm.set(term, [index]);
    }
  }

  /** Whether an example has a term. */
  knows(term: string): boolean {
    return this.byTerm.has(term);
  }

  /**
   * The example that is most like a request.
   *
   * @param isKnown whether a term of the request is no typing error
   */
  best(terms: TermWeights, isKnown: (term: string) => boolean): Likeness<Rule> | undefined {
    const shared = new Map<number, number>();
    for (const [term, weight] of terms) {
      const meant = this.byTerm.has(term) || isKnown(term) || !isMisspellable(term) ? term : this.nearest(term);
      const counts = meant === term ? weight : weight * MISSPELT;
      for (const index of this.byTerm.get(meant) ?? []) shared.set(index, (shared.get(index) ?? 0) + counts);
    }
    const all = sumOf(terms);
    const order = [...terms.keys()];
    const asked = order.filter((term) => terms.get(term) === ASKS);
    let best: Likeness<Rule> | undefined;
    let bestOrder = 0;
    for (const [index, sum] of shared) {
      const example = this.examples[index]!;
      const [ofRequest, ofExample] = [sum / all, Math.min(1, sum / example.sum)];
      if (example.denies !== terms.has(DENIAL) || ofRequest < LEAST_OF_REQUEST || ofExample < LEAST_OF_EXAMPLE)
        continue;
      if (!asked.every((term) => example.terms.includes(term))) continue;
      const score = OF_REQUEST * ofRequest + (1 - OF_REQUEST) * ofExample;
      if (best && score < best.score) continue;
      const alike = pairsAlike(order, example.terms);
      if (best && score === best.score && alike <= bestOrder) continue;
      best = { rule: example.rule, score };
      bestOrder = alike;
    }
    return best;
  }

  private nearest(term: string): string {
    for (const known of this.byTerm.keys()) if (isMisspellable(known) && isSimilar(known, term)) return known;
    return term;
  }
}

function sumOf(terms: TermWeights): number {
  let sum = 0;
  for (const weight of terms.values()) sum += weight;
  return sum;
}

/** How many neighbours in one text are neighbours in the other, in the same order. */
function pairsAlike(one: readonly string[], other: readonly string[]): number {
  return one.filter((term, at) => {
    const place = other.indexOf(term);
    return place >= 0 && at > 0 && other[place - 1] === one[at - 1];
  }).length;
}
