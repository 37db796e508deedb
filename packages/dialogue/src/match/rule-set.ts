import { findAt, Found, LazyPattern, Slots, standsIn } from './pattern.js';
import { Word } from '../text/words.js';

/** Something with patterns that find it. */
export interface RuleEntry<Rule> {
  readonly rule: Rule;
  readonly patterns: readonly LazyPattern[];
  /** Patterns in whose presence it is not found. */
  readonly unless?: readonly LazyPattern[];
  /** The highest goes first. */
  readonly priority?: number;
}

export interface Match<Rule> {
  readonly rule: Rule;
  readonly slots: Slots;
  readonly weight: number;
}

interface Place {
  readonly lazy: LazyPattern;
  /** The number of its rule. */
  readonly owner: number;
}

/** Rules, to be found by what is said. Patterns are kept by their first words: a request costs a look-up for each word. */
export class RuleSet<Rule> {
  private readonly words = new Map<string, Place[]>();
  private readonly stems = new Map<string, Place[]>();
  private readonly stemLengths: readonly number[];
  private named?: ReadonlySet<string>;

  constructor(
    private readonly rules: readonly RuleEntry<Rule>[],
    private readonly stops: ReadonlySet<string> = new Set(),
  ) {
    for (const [owner, { patterns }] of rules.entries())
      for (const lazy of patterns) {
        const place = { lazy, owner };
        const { words, stems } = lazy.firsts;
        for (const word of words) add(this.words, word, place);
        for (const stem of stems) add(this.stems, stem, place);
      }
    this.stemLengths = [...new Set([...this.stems.keys()].map((stem) => stem.length))];
  }

  /** The rule of the highest priority, then the longest pattern, then the first. */
  best(words: readonly Word[], source: string): Match<Rule> | undefined {
    let best: (Found & { owner: number }) | undefined;
    this.each(words, ({ lazy, owner }, at) => {
      const { priority = 0, unless } = this.rules[owner]!;
      const before = best && (this.rules[best.owner]!.priority ?? 0);
      if (before !== undefined && priority < before) return;
      const found = findAt(lazy.pattern, words, at, source, this.stops);
      if (!found) return;
      const lead = best && (priority - before! || found.weight - best.weight || best.owner - owner);
      if (lead !== undefined && lead <= 0) return;
      if (!(unless && standsIn(unless, words, source, this.stops))) best = { ...found, owner };
    });
    return best && { rule: this.rules[best.owner]!.rule, slots: best.slots, weight: best.weight };
  }

  /** All that the slots of the patterns catch, whichever rule answers. */
  slots(words: readonly Word[], source: string): Slots {
    const slots = {};
    this.each(words, ({ lazy }, at) => {
      Object.assign(slots, findAt(lazy.pattern, words, at, source, this.stops)?.slots);
    });
    return slots;
  }

  /** The words that its patterns name. */
  get vocabulary(): ReadonlySet<string> {
    return (this.named ??= new Set(this.rules.flatMap(({ patterns }) => patterns.flatMap(({ words }) => words))));
  }

  private each(words: readonly Word[], visit: (place: Place, at: number) => void): void {
    words.forEach(({ text }, at) => {
      for (const place of this.words.get(text) ?? []) visit(place, at);
      for (const length of this.stemLengths)
        if (length <= text.length) for (const place of this.stems.get(text.slice(0, length)) ?? []) visit(place, at);
    });
  }
}

function add(map: Map<string, Place[]>, key: string, place: Place): void {
  const places = map.get(key);
  if (places) places.push(place);
  else map.set(key, [place]);
}
