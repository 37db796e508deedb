import { addNamed, hasSlot, matchAt, Phrase, Slots, standsIn } from '../text/phrase.js';
import { Word } from '../text/words.js';

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

/** Where a match ends, in words; with those that its slots caught. */
export function endOf({ at, weight, slots }: Pick<Match, 'at' | 'weight' | 'slots'>): number {
  const caught = Object.values(slots).reduce((sum, value) => sum + value.split(' ').length, 0);
  return at + Math.floor(weight) + caught;
}

/** A phrase of the rule of this number. */
interface Entry {
  readonly phrase: Phrase;
  readonly owner: number;
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
    let best: (Match & { owner: number }) | undefined;
    this.indexed.entries.each(words, (phrase, owner, at) => {
      const { rule, unless } = this.rules[owner]!;
      const lead = best && (rule.priority - best.rule.priority || phrase.weight - best.weight || best.owner - owner);
      if (lead !== undefined && lead <= 0) return;
      const slots = matchAt(phrase, words, at, source, this.stops);
      if (slots && !(unless && standsIn(unless, words, source, this.stops)))
        best = { rule, slots, weight: phrase.weight, at, owner };
    });
    return best;
  }

  /** Each match of a phrase with slots, in the order of the words. */
  catches(words: readonly Word[], source: string): Match[] {
    const matches: Match[] = [];
    this.indexed.withSlots.each(words, (phrase, owner, at) => {
      const slots = matchAt(phrase, words, at, source, this.stops);
      if (slots) matches.push({ rule: this.rules[owner]!.rule, slots, weight: phrase.weight, at });
    });
    return matches;
  }

  /** All that the slots of these rules catch, whichever rule answers. */
  slots(words: readonly Word[], source: string): Slots {
    const slots = {};
    this.indexed.withSlots.each(words, (phrase, _, at) => {
      Object.assign(slots, matchAt(phrase, words, at, source, this.stops));
    });
    return slots;
  }

  /** The words that its phrases name. */
  get vocabulary(): ReadonlySet<string> {
    if (!this.named) {
      const words = new Set<string>();
      for (const phrase of this.indexed.entries.phrases) addNamed(phrase, words);
      this.named = words;
    }
    return this.named;
  }

  /** Makes the index now. */
  prepare(): void {
    void this.indexed;
  }

  private get indexed() {
    if (!this.index) {
      const entries = this.rules.flatMap(({ phrases = [] }, owner) =>
        (typeof phrases === 'function' ? phrases() : phrases).map((phrase) => ({ phrase, owner })),
      );
      const withSlots = entries.filter(({ phrase }) => hasSlot(phrase));
      this.index = { entries: new Index(entries), withSlots: new Index(withSlots) };
    }
    return this.index;
  }
}

/**
 * Phrases by their first word, so that a request costs a look-up a word and not a look at each phrase. There are tens of
 * thousands: they stand in one array, side by side where the first word is the same.
 */
class Index {
  readonly phrases: readonly Phrase[];
  private readonly owners: Uint16Array;
  /** Where the phrases of each first word begin, and end. */
  private readonly starts: Int32Array;
  private readonly words = new Map<string, number>();
  private readonly stems = new Map<string, number>();
  private readonly stemLengths: readonly number[];

  constructor(entries: readonly Entry[]) {
    const groups: Entry[][] = [];
    for (const entry of entries) {
      const first = entry.phrase.parts[0];
      if (first?.kind !== 'word' && first?.kind !== 'stem') continue;
      const places = first.kind === 'word' ? this.words : this.stems;
      const place = places.get(first.text) ?? groups.length;
      places.set(first.text, place);
      (groups[place] ??= []).push(entry);
    }
    const sorted = groups.flat();
    this.phrases = sorted.map(({ phrase }) => phrase);
    this.owners = Uint16Array.from(sorted, ({ owner }) => owner);
    this.starts = new Int32Array(groups.length + 1);
    for (const [place, group] of groups.entries()) this.starts[place + 1] = this.starts[place]! + group.length;
    this.stemLengths = [...new Set([...this.stems.keys()].map((stem) => stem.length))];
  }

  each(words: readonly Word[], visit: (phrase: Phrase, owner: number, at: number) => void): void {
    words.forEach(({ text }, at) => {
      this.visit(this.words.get(text), at, visit);
      for (const length of this.stemLengths)
        if (length <= text.length) this.visit(this.stems.get(text.slice(0, length)), at, visit);
    });
  }

  private visit(place: number | undefined, at: number, visit: (phrase: Phrase, owner: number, at: number) => void) {
    if (place === undefined) return;
    for (let from = this.starts[place]!; from < this.starts[place + 1]!; from++)
      visit(this.phrases[from]!, this.owners[from]!, at);
  }
}
