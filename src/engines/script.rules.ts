import { hasSlot, matchAt, namedIn, Phrase, Slots, standsIn } from './script.phrase.js';
import { Word } from './script.words.js';

/** A rule or a follow-up, compiled. */
export interface Rule {
  /** Of the rule or intent; of the one that a follow-up belongs to. */
  readonly id: string;
  readonly answers: readonly string[];
  readonly then?: RuleSet;
  /** Answers as the rule before did. */
  readonly again: boolean;
  readonly priority: number;
}

export interface Match {
  readonly rule: Rule;
  readonly slots: Slots;
  readonly weight: number;
  /** Where the phrase begins, in words. */
  readonly at: number;
}

interface Entry {
  readonly rule: Rule;
  readonly phrase: Phrase;
  readonly order: number;
  readonly unless?: readonly Phrase[];
}

/** A rule with what finds it; without phrases it is for whatever is said. */
export interface RuleEntry {
  readonly rule: Rule;
  /** A function makes them when they are needed first. */
  readonly phrases?: readonly Phrase[] | (() => readonly Phrase[]);
  /** Phrases in whose presence it is not found. */
  readonly unless?: readonly Phrase[];
}

/** Rules, to be found by what is said. The index is made when it is needed first: most follow-ups never are. */
export class RuleSet {
  /** The follow-up without phrases. */
  readonly otherwise?: Rule;
  readonly all: readonly Rule[];
  private named?: ReadonlySet<string>;
  private index?: { readonly entries: Index; readonly withSlots: Index };

  constructor(
    private readonly rules: readonly RuleEntry[],
    private readonly stops: ReadonlySet<string>,
  ) {
    this.all = rules.map(({ rule }) => rule);
    this.otherwise = rules.find(({ phrases }) => !phrases)?.rule;
  }

  /** The rule that answers, if any. */
  best(words: readonly Word[], source: string): Match | undefined {
    let best: (Match & { order: number }) | undefined;
    this.indexed.entries.each(words, ({ rule, phrase, order, unless }, at) => {
      const lead = best && (rule.priority - best.rule.priority || phrase.weight - best.weight || best.order - order);
      if (lead !== undefined && lead <= 0) return;
      const slots = matchAt(phrase, words, at, source, this.stops);
      if (slots && !(unless && standsIn(unless, words, source, this.stops)))
        best = { rule, slots, weight: phrase.weight, at, order };
    });
    return best;
  }

  /** Each match of a phrase with slots, in the order of the words. */
  catches(words: readonly Word[], source: string): Match[] {
    const matches: Match[] = [];
    this.indexed.withSlots.each(words, ({ rule, phrase }, at) => {
      const slots = matchAt(phrase, words, at, source, this.stops);
      if (slots) matches.push({ rule, slots, weight: phrase.weight, at });
    });
    return matches;
  }

  /** All that the slots of these rules catch, whichever rule answers. */
  slots(words: readonly Word[], source: string): Slots {
    const slots = {};
    this.indexed.withSlots.each(words, ({ phrase }, at) => {
      Object.assign(slots, matchAt(phrase, words, at, source, this.stops));
    });
    return slots;
  }

  /** The words that its phrases name. */
  get vocabulary(): ReadonlySet<string> {
    return (this.named ??= new Set(this.indexed.entries.phrases.flatMap(namedIn)));
  }

  /** Makes the index now. */
  prepare(): void {
    void this.indexed;
  }

  private get indexed() {
    if (!this.index) {
      const [entries, withSlots] = [new Index(), new Index()];
      this.rules.forEach(({ rule, phrases = [], unless }, order) => {
        for (const phrase of typeof phrases === 'function' ? phrases() : phrases) {
          entries.add({ rule, phrase, order, unless });
          if (hasSlot(phrase)) withSlots.add({ rule, phrase, order });
        }
      });
      this.index = { entries, withSlots };
    }
    return this.index;
  }
}

/** Phrases by their first word, so that a request costs a look-up a word and not a look at each phrase. */
class Index {
  private readonly words = new Map<string, Entry[]>();
  private readonly stems = new Map<string, Entry[]>();
  private readonly stemLengths = new Set<number>();

  add(entry: Entry): void {
    const first = entry.phrase.parts[0];
    if (first?.kind !== 'word' && first?.kind !== 'stem') return;
    if (first.kind === 'stem') this.stemLengths.add(first.text.length);
    const index = first.kind === 'word' ? this.words : this.stems;
    const entries = index.get(first.text);
    if (entries) entries.push(entry);
    else index.set(first.text, [entry]);
  }

  get phrases(): Phrase[] {
    return [...this.words.values(), ...this.stems.values()].flat().map(({ phrase }) => phrase);
  }

  each(words: readonly Word[], visit: (entry: Entry, at: number) => void): void {
    words.forEach(({ text }, at) => {
      for (const entry of this.words.get(text) ?? []) visit(entry, at);
      for (const length of this.stemLengths) {
        if (length > text.length) continue;
        for (const entry of this.stems.get(text.slice(0, length)) ?? []) visit(entry, at);
      }
    });
  }
}
