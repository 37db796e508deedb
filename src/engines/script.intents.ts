import { withParts } from './script.compounds.js';
import { Rule } from './script.rules.js';
import { ExampleSearch } from './script.search.js';
import { scoreOf, Weighed } from './script.score.js';
import { Shape, Traits, traitsOf } from './script.shape.js';
import { contentOf, ExampleTerms, Terms, TermWeights } from './script.terms.js';
import { isMisspellable } from './script.typos.js';

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
  /** The example that is most like it, and what most examples of the rule name. */
  readonly example: ExampleTerms;
  readonly topics: readonly string[];
}

/** Examples of an intent of the same content. */
interface Group {
  readonly intent: number;
  /** The terms that they are found by. */
  readonly wanted: readonly string[];
  readonly isPlain: boolean;
  readonly variants: ExampleTerms[];
}

const NO_GROUP: Pick<Group, 'variants'> = { variants: [] };
const CANDIDATES = 50;
/** The weight of what an example names that counts as a name. */
const NAMED = 4;
const GENERAL_HANDICAP = 0.1;
/** From here on a request is an example, word for word. */
export const WORD_FOR_WORD = 0.995;
const MOST_TERMS = 30;
/** Examples of the same content that are kept. */
const MOST_VARIANTS = 4;

/**
 * Finds the intent that a request means. A search finds the examples with the same or similar stems; the score is
 * the harmonic mean of how much of the request and how much of the example that covers, each word by its rarity.
 */
export class IntentIndex {
  private readonly search: ExampleSearch;
  /** Examples of words that all say little: `how are you`. Searching them all for `are` would take long. */
  private readonly plain: ExampleSearch;
  /** Examples that differ in words that say little alone are found as one: they stand side by side. */
  private readonly examples: readonly ExampleTerms[];
  /** Where those begin that are found as one. */
  private readonly starts: Int32Array;
  private readonly owners: Int32Array;
  private readonly rules: Rule[] = [];
  private readonly handicaps: number[] = [];
  private readonly traits: Traits[] = [];
  /** The numbers of all terms, from 0 on. */
  private readonly numbers = new Map<string, number>();
  /** How many intents have a term, by its number. */
  private readonly frequencies: Int32Array;
  /** The numbers of the terms of each intent, and where those of each begin. */
  private readonly vocabularies: Int32Array;
  private readonly vocabularyStarts: Int32Array;
  /** What the terms of each example weigh together. */
  private readonly totals: Float32Array;
  private readonly found = new WeakMap<TermWeights, IntentMatch>();

  constructor(
    intents: readonly Intent[],
    private readonly language: Terms,
    private readonly mostVariants = MOST_VARIANTS,
  ) {
    const vocabularies = intents.map(() => new Set<number>());
    const groups: Group[] = [];
    // No closure may keep the vocabularies, since `rarity` would as well.
    for (const [index, intent] of intents.entries()) groups.push(...this.groupsOf(intent, index, vocabularies[index]!));
    this.vocabularies = Int32Array.from(vocabularies.flatMap((numbers) => [...numbers]));
    this.frequencies = new Int32Array(this.numbers.size);
    for (const number of this.vocabularies) this.frequencies[number]!++;
    let last = 0;
    this.vocabularyStarts = Int32Array.from([{ size: 0 }, ...vocabularies], ({ size }) => (last += size));
    this.examples = groups.flatMap(({ variants }) => variants);
    this.owners = Int32Array.from(groups, ({ intent }) => intent);
    this.totals = Float32Array.from(this.examples, (terms) => this.sum(terms));
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

  /** @param vocabulary takes the numbers of its terms */
  private groupsOf({ rule, examples, isGeneral }: Intent, intent: number, vocabulary: Set<number>): Group[] {
    this.rules.push(rule);
    this.handicaps.push(isGeneral ? GENERAL_HANDICAP : 0);
    const groups = new Map<string, Group>();
    const shapes: Shape[] = [];
    const contents: string[][] = [];
    for (const example of examples) {
      const terms = this.language.ofExample(example, isGeneral);
      if (terms.terms.length === 0) continue;
      for (const term of terms.terms) vocabulary.add(this.numberOf(term));
      if (terms.shape) shapes.push(terms.shape);
      const content = terms.content();
      contents.push(content);
      const isPlain = content.length === 0;
      const wanted = isPlain ? terms.terms : content;
      const key = wanted.toSorted().join(' ');
      const group = groups.get(key);
      if (!group) groups.set(key, { intent, wanted, isPlain, variants: [terms] });
      else if (group.variants.length < this.mostVariants) group.variants.push(terms);
    }
    this.traits.push(traitsOf(shapes, contents));
    return [...groups.values()];
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
    const names = (rule: Rule, example: ExampleTerms) =>
      naming.every((term) => example.has(term)) && (rule === own || oneOf.some((term) => example.has(term)));
    return this.bestOf(request, (rule, example) => rule !== besides && names(rule, example));
  }

  /** The rule of the longest example, of questions of a kind, all of whose words a text has. */
  within(text: TermWeights, kind: string, besides?: Rule): Rule | undefined {
    let best: { rule: Rule; weight: number } | undefined;
    for (const [id, intent] of this.owners.entries()) {
      const example = this.examples[this.starts[id]!]!;
      const rule = this.rules[intent]!;
      if (rule === besides || this.handicaps[intent]! > 0 || !this.traits[intent]!.kinds.has(kind)) continue;
      const content = example.content();
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

  private bestOf(
    request: TermWeights,
    isWanted: (rule: Rule, example: ExampleTerms) => boolean,
  ): IntentMatch | undefined {
    const asked = [...withParts(request, this.language, (term) => this.numbers.has(term))].slice(0, MOST_TERMS);
    const content = contentOf(new Map(asked));
    const query = content.length > 0 ? content : asked.map(([term]) => term);
    if (query.length === 0) return undefined;
    const found = (content.length > 0 ? this.search : this.plain).find(
      query,
      CANDIDATES,
      (term) => !this.numbers.has(term) && isMisspellable(term),
    );
    const weighed: Weighed = {
      terms: new Map(asked.map(([term, counts]) => [term, counts * this.rarity(term)])),
      content: new Set(content),
      shape: request.shape,
    };
    const numbers = new Map(asked.map(([term]) => [term, this.numbers.get(term)]));
    const scores = new Map<number, number>();
    const nearest = new Map<number, ExampleTerms>();
    for (const { id, similar } of found) {
      const intent = this.owners[id]!;
      for (let at = this.starts[id]!; at < this.starts[id + 1]!; at++) {
        const example = this.examples[at]!;
        if (!isWanted(this.rules[intent]!, example)) continue;
        const score = scoreOf(weighed, example, {
          total: this.totals[at]!,
          isRelated: (term) => this.isOf(intent, numbers.get(term)),
          traits: this.traits[intent]!,
          matched: similar,
          rarity: this.rarity,
        });
        if (score <= (scores.get(intent) ?? 0)) continue;
        scores.set(intent, score);
        nearest.set(intent, example);
      }
    }
    const rank = ([intent, score]: [number, number]) =>
      score >= WORD_FOR_WORD ? score : score - this.handicaps[intent]!;
    const [first, second] = [...scores].sort((a, b) => rank(b) - rank(a));
    if (!first) return undefined;
    const entry = ([intent, score]: [number, number]) => ({ rule: this.rules[intent]!, score });
    const lead = second ? rank(first) - rank(second) : 1;
    const { topics } = this.traits[first[0]]!;
    return { ...entry(first), lead, second: second && entry(second), example: nearest.get(first[0])!, topics };
  }

  private sum({ terms, counts }: ExampleTerms): number {
    return terms.reduce((sum, term, index) => sum + counts[index]! * this.rarity(term), 0);
  }

  /** Whether a term of this number stands in an example of an intent. */
  private isOf(intent: number, number: number | undefined): boolean {
    if (number === undefined) return false;
    for (let at = this.vocabularyStarts[intent]!; at < this.vocabularyStarts[intent + 1]!; at++)
      if (this.vocabularies[at] === number) return true;
    return false;
  }

  private numberOf(term: string): number {
    const number = this.numbers.get(term) ?? this.numbers.size;
    this.numbers.set(term, number);
    return number;
  }

  /** The rarer a word is among the intents, the more it says; what no intent has says much too. */
  private readonly rarity = (term: string): number =>
    Math.log(1 + this.rules.length / (this.frequencies[this.numbers.get(term) ?? -1] ?? 0.7));
}
