import { Rule } from './rules.js';
import { contentOf, Terms } from '../text/terms.js';

/** A text that an avatar may tell: a fact, or the answer of an intent. */
export interface Passage {
  readonly text: string;
  readonly rule?: Rule;
}

interface Entry extends Passage {
  /** What it says, its topics included: terms with a space around each, in one text, which is the smallest. */
  readonly says: string;
}

/** Finds what says something of a subject, for questions that name what they are about by `it`. */
export class Passages {
  private readonly byTopic = new Map<string, Entry[]>();
  private readonly byRule = new Map<Rule, readonly string[]>();

  private constructor(private readonly language: Terms) {}

  /** Reads facts and intents, one a step. */
  static *made(
    facts: readonly {
      readonly topics: readonly string[];
      readonly text: string;
    }[],
    intents: readonly {
      readonly rule: Rule;
      /** What it is about. */
      readonly topics: readonly string[];
    }[],
    language: Terms,
  ): Generator<void, Passages, void> {
    const passages = new Passages(language);
    for (const { topics, text } of facts) {
      const about = topics.flatMap((topic) => passages.content(topic));
      passages.add({ text }, about);
      yield;
    }
    for (const { rule, topics } of intents) {
      passages.add({ text: rule.answers[0]!, rule }, topics);
      yield;
    }
    return passages;
  }

  /** What an intent is about. */
  topicsOf(rule: Rule): ReadonlySet<string> {
    return new Set(this.byRule.get(rule));
  }

  /** What says all that is wanted of one of some subjects. */
  saying(wanted: readonly string[], subjects: ReadonlySet<string>): readonly Passage[] {
    const found = new Set<Entry>();
    for (const subject of subjects)
      for (const entry of this.byTopic.get(subject) ?? [])
        if (wanted.every((term) => entry.says.includes(` ${term} `))) found.add(entry);
    return [...found];
  }

  private add({ text, rule }: Passage, topics: readonly string[]): void {
    if (topics.length === 0) return;
    if (rule) this.byRule.set(rule, topics);
    const about = new Set(topics);
    // One text, rather than three that are put together when they are read.
    const says = ['', ...new Set([...topics, ...this.content(text)]), ''].join(' ');
    const entry = { text, rule, says };
    for (const topic of about) {
      const known = this.byTopic.get(topic);
      if (known) known.push(entry);
      else this.byTopic.set(topic, [entry]);
    }
  }

  private content(text: string): string[] {
    return contentOf(this.language.of(text));
  }
}
