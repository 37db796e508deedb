import { Reply } from './script.choose.js';
import { wants } from './script.fallback.js';
import { Sentence } from './script.sentences.js';
import { contentOf } from './script.terms.js';
import { Turn } from './script.turn.js';

/** What counts for each word of a sentence that says something. */
const WORD_BONUS = 0.04;
const MOST_COUNTED_WORDS = 6;
/** From this priority on an acknowledgement fits a wish or a problem too, better than a word that there is no advice. */
const SAYS_MUCH = 20;
const QUESTION_MARK = /[?？؟]\s*$/u;

interface Acknowledgement {
  readonly value: number;
  readonly reply: () => Reply;
}

export function wordBonus(content: number): number {
  return WORD_BONUS * Math.min(content, MOST_COUNTED_WORDS);
}

/**
 * An answer to a statement of which only the mood or the kind is known, or that it replies to a question.
 *
 * @param least the priority from which on there is one
 */
export function acknowledgement(turn: Turn, sentence: Sentence, least = 0): Acknowledgement | undefined {
  const { words, text, asks, terms } = sentence;
  if (asks || words.length < 2) return undefined;
  const { talk, said } = turn;
  const match = talk.acknowledge.best(words, text);
  if ((match?.rule.priority ?? 0) < least) return undefined;
  const isReplied = QUESTION_MARK.test(said.history.at(-1)?.answer ?? '');
  const value = wordBonus(contentOf(terms).length);
  const wished = (match?.rule.priority ?? 0) < SAYS_MUCH && wants(turn, sentence);
  const rule = match?.rule ?? (isReplied ? talk.acknowledge.otherwise : undefined);
  if (!rule || wished) return undefined;
  return { value: rule.priority + value, reply: () => turn.from(rule, match?.slots) };
}
