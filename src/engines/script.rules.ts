import { matchAt, Phrase, Slots } from './script.phrase.js';
import { Word } from './script.words.js';

/** A rule or a follow-up, compiled. */
export interface Rule {
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
}

/** Rules by the first word of their phrases, so that a request costs a look-up a word and not a look at each rule. */
export class RuleSet {
  /** The follow-up that takes what no other rule does. */
  readonly otherwise?: Rule;
  private readonly byWord = new Map<string, Entry[]>();
  private readonly byStem = new Map<string, Entry[]>();
  private longestStem = 0;

  constructor(
    rules: readonly { readonly rule: Rule; readonly phrases?: readonly Phrase[] }[],
    private readonly stops: ReadonlySet<string>,
  ) {
    this.otherwise = rules.find(({ phrases }) => !phrases)?.rule;
    rules.forEach(({ rule, phrases }, order) => {
      for (const phrase of phrases ?? []) this.add({ rule, phrase, order });
    });
  }

  /** The rule that answers, if any. */
  best(words: readonly Word[], source: string): Match | undefined {
    let best: (Match & { order: number }) | undefined;
    for (const { entry, at } of this.candidates(words)) {
      const { rule, phrase, order } = entry;
      if (best && !isBetter(rule.priority - best.rule.priority, phrase.weight - best.weight, best.order - order))
        continue;
      const slots = matchAt(phrase, words, at, source, this.stops);
      if (slots) best = { rule, slots, weight: phrase.weight, order };
    }
    return best;
  }

  /** All that the slots of these rules catch, whichever rule answers. */
  slots(words: readonly Word[], source: string): Slots {
    const slots = {};
    for (const { entry, at } of this.candidates(words)) {
      if (entry.phrase.parts.some((part) => part.kind === 'slot')) {
        Object.assign(slots, matchAt(entry.phrase, words, at, source, this.stops));
      }
    }
    return slots;
  }

  private *candidates(words: readonly Word[]) {
    for (let at = 0; at < words.length; at++) {
      const { text } = words[at]!;
      for (const entry of this.byWord.get(text) ?? []) yield { entry, at };
      for (let length = 1; length <= Math.min(text.length, this.longestStem); length++) {
        for (const entry of this.byStem.get(text.slice(0, length)) ?? []) yield { entry, at };
      }
    }
  }

  private add(entry: Entry): void {
    const first = entry.phrase.parts[0];
    if (first?.kind !== 'word' && first?.kind !== 'stem') return;
    const index = first.kind === 'word' ? this.byWord : this.byStem;
    if (first.kind === 'stem') this.longestStem = Math.max(this.longestStem, first.text.length);
    index.set(first.text, [...(index.get(first.text) ?? []), entry]);
  }
}

interface Entry {
  readonly rule: Rule;
  readonly phrase: Phrase;
  readonly order: number;
}

/** Compares by the first difference that is not nought. */
function isBetter(...differences: number[]): boolean {
  return (differences.find((difference) => difference !== 0) ?? 0) > 0;
}
