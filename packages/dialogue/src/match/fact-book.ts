import { ScriptFact } from '../format/script-file.js';
import { contentOf, Terms } from '../text/terms.js';

/** The least share of a text's words that a fact is about. */
const HALF = 0.5;
export const SOME = 0;
export const ALL = 1;

interface Entry {
  readonly text: string;
  readonly topics: readonly (readonly string[])[];
}

/** Short facts, by what they are about. */
export class FactBook {
  private readonly entries: readonly Entry[];
  private readonly byTerm = new Map<string, Entry[]>();
  private readonly byText = new Map<string, Entry>();

  constructor(
    facts: readonly ScriptFact[],
    private readonly language: Terms,
  ) {
    this.entries = facts.map(({ topics, text }) => ({ text, topics: topics.map((topic) => this.content(topic)) }));
    for (const entry of this.entries) {
      this.byText.set(entry.text, entry);
      for (const term of new Set(entry.topics.flat())) {
        const known = this.byTerm.get(term);
        if (known) known.push(entry);
        else this.byTerm.set(term, [entry]);
      }
    }
  }

  get size(): number {
    return this.entries.length;
  }

  /** All facts. */
  all(): readonly string[] {
    return this.entries.map(({ text }) => text);
  }

  /** Facts on what a text names: those that fit most of it, and at least a share of its words. */
  about(text: string, share = HALF): readonly string[] {
    const wanted = new Set(this.content(text));
    const found = new Map<Entry, number>();
    for (const term of wanted)
      for (const entry of this.byTerm.get(term) ?? [])
        for (const topic of entry.topics) {
          if (!topic.every((part) => wanted.has(part))) continue;
          found.set(entry, Math.max(found.get(entry) ?? 0, topic.length));
        }
    const most = Math.max(0, ...found.values());
    if (most === 0 || most < share * wanted.size) return [];
    return [...found].filter(([, count]) => count === most).map(([{ text: fact }]) => fact);
  }

  /** Other facts like one that was told, itself included; `[]` if it is none of these. */
  like(text: string): readonly string[] {
    const told = this.byText.get(text);
    if (!told) return [];
    const first = told.topics[0]?.join(' ');
    return this.entries
      .filter(({ topics }) => topics.some((topic) => topic.join(' ') === first))
      .map((entry) => entry.text);
  }

  private content(text: string): string[] {
    return contentOf(this.language.of(text));
  }
}
