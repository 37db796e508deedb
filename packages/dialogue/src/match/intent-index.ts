import { withParts } from '../text/compounds.js';
import { IndexOptions, Group, Intent, IntentMatch } from './intent.js';
import { Rule } from './rules.js';
import { ExampleSearch } from './search.js';
import { Examples } from './examples.js';
import { scoreOf, WeightedRequest } from './score.js';
import { Traits } from '../text/shape.js';
import { contentOf, ExampleTerms, Terms, TermWeights } from '../text/terms.js';
import { isMisspellable } from '../text/typos.js';
import { Vocabularies } from './vocabularies.js';
import { indexExamples, IndexedExamples } from './indexed-examples.js';
import { WORD_FOR_WORD } from './scores.js';

export type { IntentMatch };

const NO_GROUP: Pick<Group, 'variants'> = { variants: [] };
const CANDIDATES = 50;
/** The weight of what an example names that counts as a name. */
const NAMED = 4;
const MOST_TERMS = 30;
const LESS_THAN_ONE = 0.7;

/**
 * Finds the intent that a request means. A search finds the examples with the same or similar stems; the score is
 * the harmonic mean of how much of the request and how much of the example that covers, each word by its rarity.
 */
export class IntentIndex {
  private readonly search: ExampleSearch;
  /** Examples of words that all say little: `how are you`. Searching them all for `are` would take long. */
  private readonly plain: ExampleSearch;
  /** Examples that differ in words that say little alone are found as one: they stand side by side. */
  private readonly examples: Examples;
  /** Where those begin that are found as one. */
  private readonly starts: Int32Array;
  private readonly owners: Int32Array;
  private readonly rules: readonly Rule[];
  private readonly handicaps: readonly number[];
  private readonly traits: readonly Traits[];
  /** The numbers of all terms, from 0 on. */
  private readonly numbers: ReadonlyMap<string, number>;
  /** How many intents have a term, by its number. */
  private readonly frequencies: Int32Array;
  private readonly vocabularies: Vocabularies;
  /** The rarer a word is among the intents, the more it says: by the numbers of the terms. */
  private readonly rarities: Float64Array;
  /** What the terms of each example weigh together. */
  private readonly totals: Float32Array;
  private readonly found = new WeakMap<TermWeights, IntentMatch>();

  private constructor(
    { rules, handicaps, traits, numbers, vocabularies, groups }: IndexedExamples,
    private readonly language: Terms,
    private readonly options: IndexOptions,
  ) {
    this.rules = rules;
    this.handicaps = handicaps;
    this.traits = traits;
    this.numbers = numbers;
    this.vocabularies = new Vocabularies(vocabularies);
    this.frequencies = this.vocabularies.frequencies(this.numbers.size);
    this.rarities = Float64Array.from(this.frequencies, (frequency) => this.rarityIn(frequency));
    const examples = groups.flatMap(({ variants }) => variants);
    this.examples = new Examples(examples, this.numbers);
    this.owners = Int32Array.from(groups, ({ intent }) => intent);
    this.totals = Float32Array.from(examples, (terms) => this.sum(terms));
    let from = 0;
    this.starts = Int32Array.from([...groups, NO_GROUP], ({ variants }) => (from += variants.length) - variants.length);
    this.search = new ExampleSearch(
      groups.map(({ wanted, isPlain }) => (isPlain ? undefined : wanted)),
      this.numbers,
    );
    this.plain = new ExampleSearch(
      groups.map(({ wanted, isPlain }) => (isPlain ? wanted : undefined)),
      this.numbers,
    );
  }

  /** Makes an index in steps of a few milliseconds at most, but for the last. */
  static *made(
    intents: readonly Intent[],
    language: Terms,
    options: IndexOptions = {},
  ): Generator<void, IntentIndex, void> {
    return new IntentIndex(yield* indexExamples(intents, language, options), language, options);
  }

  /** The best rule, however bad. */
  best(request: TermWeights): IntentMatch | undefined {
    const known = this.found.get(request);
    if (known) return known;
    const best = this.bestOf(request, () => true);
    if (best) this.found.set(request, best);
    return best;
  }

  /**
   * The best rule besides one, by an example that names all of these and one of those.
   *
   * @param own the rule for which it need not name one of those
   */
  bestNaming(
    request: TermWeights,
    naming: readonly string[],
    oneOf: readonly string[],
    { besides, own }: { besides?: Rule; own?: Rule } = {},
  ): IntentMatch | undefined {
    const names = (rule: Rule, example: number) =>
      naming.every((term) => this.examples.has(example, term)) &&
      (rule === own || oneOf.some((term) => this.examples.has(example, term)));
    return this.bestOf(request, (rule, example) => rule !== besides && names(rule, example));
  }

  /** The rule of the longest example, of questions of a kind, all of whose words a text has. */
  within(text: TermWeights, kind: string, besides?: Rule): Rule | undefined {
    let best: { rule: Rule; weight: number } | undefined;
    for (const [id, intent] of this.owners.entries()) {
      const rule = this.rules[intent]!;
      if (rule === besides || this.handicaps[intent]! > 0 || !this.traits[intent]!.kinds.has(kind)) continue;
      const content = this.examples.contentOf(this.starts[id]!);
      if (content.length === 0 || !content.every((term) => text.has(term))) continue;
      const weight = content.reduce((sum, term) => sum + this.rarity(term), 0);
      if (!best || weight > best.weight) best = { rule, weight };
    }
    return best && best.weight >= NAMED ? best.rule : undefined;
  }

  /** What at least half of a rule's examples name. */
  subjectsOf(rule: Rule): readonly string[] {
    return this.traits[this.rules.indexOf(rule)]?.subjects ?? [];
  }

  /** Whether a term stands in some example. */
  knows(term: string): boolean {
    return this.numbers.has(term);
  }

  private bestOf(request: TermWeights, isWanted: (rule: Rule, example: number) => boolean): IntentMatch | undefined {
    const asked = [...withParts(request, this.language, (term) => this.numbers.has(term))].slice(0, MOST_TERMS);
    const content = contentOf(new Map(asked));
    const query = content.length > 0 ? content : asked.map(([term]) => term);
    if (query.length === 0) return undefined;
    const found = (content.length > 0 ? this.search : this.plain).find(
      query,
      CANDIDATES,
      (term) => !(this.options.isWord?.(term) ?? this.numbers.has(term)) && isMisspellable(term),
    );
    const terms = asked.map(([term, counts]) => ({
      term,
      number: this.numbers.get(term),
      weight: counts * this.rarity(term),
    }));
    const weighed: WeightedRequest = {
      terms,
      names: new Set(asked.map(([term]) => term)),
      numbers: new Set(terms.map(({ number }) => number)),
      content: new Set(content),
      shape: request.shape,
    };
    const scores = new Map<number, number>();
    const nearest = new Map<number, number>();
    for (const { id, similar } of found) {
      const intent = this.owners[id]!;
      for (let at = this.starts[id]!; at < this.starts[id + 1]!; at++) {
        if (!isWanted(this.rules[intent]!, at)) continue;
        const score = scoreOf(weighed, this.examples, at, {
          total: this.totals[at]!,
          isRelated: (number) => this.vocabularies.has(intent, number),
          traits: this.traits[intent]!,
          matched: similar,
          rarities: this.rarities,
        });
        if (score <= (scores.get(intent) ?? 0)) continue;
        scores.set(intent, score);
        nearest.set(intent, at);
      }
    }
    const rank = ([intent, score]: [number, number]) =>
      score >= WORD_FOR_WORD ? score : score - this.handicaps[intent]!;
    const [first, second] = [...scores].sort((a, b) => rank(b) - rank(a));
    if (!first) return undefined;
    const entry = ([intent, score]: [number, number]) => ({ rule: this.rules[intent]!, score });
    const lead = second ? rank(first) - rank(second) : 1;
    const { topics } = this.traits[first[0]]!;
    const example = this.examples.of(nearest.get(first[0])!);
    const isMet = (term: string) => this.vocabularies.has(first[0], this.numbers.get(term)) || example.hasLike(term);
    return {
      ...entry(first),
      isGeneral: this.handicaps[first[0]]! > 0,
      lead,
      share: this.shareOf(first[0], content),
      unmet: content.filter((term) => !isMet(term)),
      second: second && entry(second),
      example,
      topics,
    };
  }

  /** How many examples of an intent name all of some terms, from 0 to 1. */
  private shareOf(intent: number, content: readonly string[]): number {
    let [all, naming] = [0, 0];
    for (let id = this.owners.indexOf(intent); this.owners[id] === intent; id++) {
      const [from, to] = [this.starts[id]!, this.starts[id + 1]!];
      all += to - from;
      if (content.every((term) => this.examples.hasLike(from, term))) naming += to - from;
    }
    return naming / all;
  }

  private sum({ terms, counts }: ExampleTerms): number {
    return terms.reduce((sum, term, index) => sum + counts[index]! * this.rarity(term), 0);
  }

  /** Of a term; what no intent has says much too. */
  private rarity(term: string): number {
    const number = this.numbers.get(term);
    return number === undefined ? this.rarityIn(this.options.intentsOfOthers ?? LESS_THAN_ONE) : this.rarities[number]!;
  }

  /** Of a term that so many intents have. */
  private rarityIn(intents: number): number {
    return Math.log(1 + this.rules.length / intents);
  }
}
