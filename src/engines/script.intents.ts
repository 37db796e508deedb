import MiniSearch from 'minisearch';
import { Rule } from './script.rules.js';
import { contentOf, Terms, TermWeights } from './script.terms.js';

/** What may be answered, by examples of how people ask for it. */
export interface Intent {
  readonly rule: Rule;
  /** Whether intents of the script itself go before it if they fit nearly as well. */
  readonly isGeneral: boolean;
  readonly examples: readonly string[];
}

export interface IntentMatch {
  readonly rule: Rule;
  /** From 0 to 1: how much of the request and of an example is the same. */
  readonly score: number;
  /** How far it is ahead of the next best rule. */
  readonly lead: number;
  readonly second?: { readonly rule: Rule; readonly score: number };
}

interface Example {
  readonly id: number;
  readonly terms: string;
  readonly intent: number;
}

/** A request, each term with its weight, and which of them say something. */
interface Weighed {
  readonly terms: ReadonlyMap<string, number>;
  readonly content: ReadonlySet<string>;
}

const CANDIDATES = 50;
const GENERAL_HANDICAP = 0.1;
const MOST_TERMS = 30;
/** What a stem that is nearly the same counts, if it is short or long, and one from the intent's other examples. */
const SIMILAR_SHORT = 0.5;
const SIMILAR = 0.85;
const SHORT = 5;
const ONE_WORD = 0.93;
const RELATED = 0.45;

/**
 * Finds the intent that a request means. MiniSearch finds the examples with the same or similar stems; the score is
 * the harmonic mean of how much of the request and how much of the example that covers, each word by its rarity.
 */
export class IntentIndex {
  private readonly search: MiniSearch<Example>;
  /** Examples of words that all say little: `how are you`. Searching them all for `are` would take long. */
  private readonly plain: MiniSearch<Example>;
  private readonly terms: TermWeights[] = [];
  private readonly owners: number[] = [];
  private readonly rules: Rule[] = [];
  private readonly handicaps: number[] = [];
  private readonly vocabularies: Set<string>[] = [];
  private readonly frequencies = new Map<string, number>();
  /** What the terms of each example weigh together. */
  private readonly totals: number[];
  private readonly found = new WeakMap<TermWeights, IntentMatch>();

  constructor(
    intents: readonly Intent[],
    private readonly language: Terms,
  ) {
    const options = {
      fields: ['terms'],
      tokenize: (text: string) => text.split(' '),
      processTerm: (term: string) => term,
      autoVacuum: false,
    };
    this.search = new MiniSearch(options);
    this.plain = new MiniSearch(options);
    intents.forEach((intent, index) => this.add(intent, index));
    for (const vocabulary of this.vocabularies)
      for (const term of vocabulary) this.frequencies.set(term, (this.frequencies.get(term) ?? 0) + 1);
    this.totals = this.terms.map((terms) => this.sum(terms));
  }

  private add({ rule, examples, isGeneral }: Intent, intent: number): void {
    this.rules.push(rule);
    this.handicaps.push(isGeneral ? GENERAL_HANDICAP : 0);
    const vocabulary = new Set<string>();
    const seen = new Set<string>();
    for (const example of examples) {
      const terms = this.language.ofExample(example);
      if (terms.size === 0) continue;
      for (const term of terms.keys()) vocabulary.add(term);
      const content = contentOf(terms);
      // Of two examples that differ in words that say little the first will do.
      const key = (content.length > 0 ? content : [...terms.keys()]).sort().join(' ');
      if (seen.has(key)) continue;
      seen.add(key);
      const id = this.terms.push(terms) - 1;
      this.owners.push(intent);
      (content.length > 0 ? this.search : this.plain).add({ id, intent, terms: key });
    }
    this.vocabularies.push(vocabulary);
  }

  /** The best rule, however bad. */
  best(request: TermWeights): IntentMatch | undefined {
    const known = this.found.get(request);
    if (known) return known;
    const best = this.bestOf(request, () => true);
    if (best) this.found.set(request, best);
    return best;
  }

  /** The best rule besides one, by an example that names these. */
  bestNaming(request: TermWeights, naming: readonly string[], besides: Rule): IntentMatch | undefined {
    return this.bestOf(request, (rule, example) => rule !== besides && naming.every((term) => example.has(term)));
  }

  private bestOf(
    request: TermWeights,
    isWanted: (rule: Rule, example: TermWeights) => boolean,
  ): IntentMatch | undefined {
    const asked = [...request].slice(0, MOST_TERMS);
    const content = contentOf(new Map(asked));
    const query = content.length > 0 ? content : asked.map(([term]) => term);
    if (query.length === 0) return undefined;
    const found = (content.length > 0 ? this.search : this.plain).search(
      { combineWith: 'OR', queries: query },
      { fuzzy: (term) => !this.frequencies.has(term) && editsOf(term), prefix: false },
    );
    const weighed: Weighed = {
      terms: new Map(asked.map(([term, counts]) => [term, counts * this.rarity(term)])),
      content: new Set(content),
    };
    const scores = new Map<number, number>();
    for (const { id, match } of found.slice(0, CANDIDATES)) {
      const intent = this.owners[id as number]!;
      if (!isWanted(this.rules[intent]!, this.terms[id as number]!)) continue;
      const score = this.score(weighed, id as number, match);
      if (score > (scores.get(intent) ?? 0)) scores.set(intent, score);
    }
    const rank = ([intent, score]: [number, number]) => score - this.handicaps[intent]!;
    const [first, second] = [...scores].sort((a, b) => rank(b) - rank(a));
    if (!first) return undefined;
    const entry = ([intent, score]: [number, number]) => ({ rule: this.rules[intent]!, score });
    const lead = second ? rank(first) - rank(second) : 1;
    return { ...entry(first), lead, second: second && entry(second) };
  }

  private score({ terms, content }: Weighed, id: number, match: Readonly<Record<string, unknown>>): number {
    const example = this.terms[id]!;
    const related = this.vocabularies[this.owners[id]!]!;
    // Stems that MiniSearch found by similarity stand in the example, but not in the request.
    const similar = Object.keys(match).filter((term) => !terms.has(term));
    let said = 0;
    let covered = 0;
    let shared = 0;
    for (const [term, weight] of terms) {
      said += weight;
      if (example.has(term)) {
        covered += weight;
        if (content.has(term)) shared++;
      } else if (content.has(term) && similar.some((other) => isSimilar(other, term))) {
        covered += similarity(term) * weight;
        shared++;
      } else if (related.has(term)) covered += RELATED * weight;
    }
    let met = 0;
    for (const [term, counts] of example) {
      if (terms.has(term)) met += counts * this.rarity(term);
      else if (term in match) met += similarity(term) * counts * this.rarity(term);
    }
    const ofRequest = covered / said;
    const ofExample = met / this.totals[id]!;
    if (ofRequest + ofExample === 0) return 0;
    const mean = (2 * ofRequest * ofExample) / (ofRequest + ofExample);
    // One word of several in common may be chance.
    return shared === 1 && content.size > 1 ? ONE_WORD * mean : mean;
  }

  private sum(terms: TermWeights): number {
    let sum = 0;
    for (const [term, counts] of terms) sum += counts * this.rarity(term);
    return sum;
  }

  /** The rarer a word is among the intents, the more it says; what no intent has says much too. */
  private rarity(term: string): number {
    return Math.log(1 + this.rules.length / (this.frequencies.get(term) ?? 0.7));
  }
}

function similarity({ length }: string): number {
  return length > SHORT ? SIMILAR : SIMILAR_SHORT;
}

/** Typing errors that a stem of this length may have. A word that the intents know is none. */
function editsOf(term: string): number | false {
  if (!/^\p{L}+$/u.test(term) || term.length < 4) return false;
  return term.length < 7 ? 1 : 2;
}

function isSimilar(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 2) return false;
  return a[0] === b[0] || (b.length > 5 && a.slice(-3) === b.slice(-3));
}
