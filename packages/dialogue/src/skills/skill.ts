import { Reply } from '../turn/choose.js';
import { Sentence } from '../text/sentences.js';
import { Turn } from '../turn/turn.js';

/** Answers a sentence that it knows how to answer, in the languages that it has words for. */
export type Skill = (turn: Turn, sentence: Sentence) => Reply | undefined;

export function skillAnswer(id: string, answer: string): Reply {
  return { id, answer, isAnswered: true };
}

/** The language of a turn, without its region. */
export function languageOf({ knowledge }: Turn): string {
  return knowledge.terms.language.slice(0, 2);
}

/** One of some texts, always the same for the same turn. */
export function oneOf({ seed }: Turn, texts: readonly string[]): string {
  return texts[seed % texts.length]!;
}

/** A text with its `{slots}` filled. */
export function filled(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}
