import { Reply } from '../turn/choose.js';
import { wants } from '../context/needed-score.js';
import { asksWithin, Sentence } from '../text/sentences.js';
import { contentOf } from '../text/terms.js';
import {
  CAREFUL_THRESHOLD,
  isMeant,
  ONE_WORD_REACTION,
  REACTION,
  THE_SAME,
  THRESHOLD,
  WORD_BONUS,
} from '../match/scores.js';
import { Turn } from '../turn/turn.js';

const MOST_COUNTED_WORDS = 6;
/** From this priority on an acknowledgement fits a wish or a problem too, better than a word that there is no advice. */
const SAYS_MUCH = 20;
/** The priority of a reaction to a statement that is an example, word for word. */
const REACTS = 100;
/** How much more than the priority of a phrase one must have that is less like it. */
const SAYS_MORE = 25;
const QUESTION_MARK = /[?？؟]\s*$/u;

interface Acknowledgement {
  readonly value: number;
  readonly reply: () => Reply;
}

interface Reaction {
  /** From 0 to 1: how like what is told and an example are. */
  readonly score: number;
  readonly reply: () => Reply;
}

/** The reaction to what a sentence tells, if the language has one to a statement like it, and no phrase that says more. */
export function reactionTo(turn: Turn, { asks, terms, words, text }: Sentence): Reaction | undefined {
  const content = contentOf(terms).length;
  if (asks || content === 0) return undefined;
  const { knowledge } = turn;
  const match = knowledge.statements.best(terms);
  // "Dessert for a birthday" tells nothing.
  const tells = terms.shape?.tells === true || terms.shape?.isOwn === true;
  if (!match) return undefined;
  // A long story may name all that an example does.
  const named = match.example.content();
  const isNamed = tells && named.length > 1 && named.every((term) => terms.has(term));
  const least = content === 1 ? ONE_WORD_REACTION : isNamed ? THRESHOLD : tells ? REACTION : CAREFUL_THRESHOLD;
  if (!isMeant(match, least)) return undefined;
  const kind = knowledge.acknowledge.best(words, text);
  const isKind = kind !== undefined && REACTS * match.score < kind.rule.priority + SAYS_MORE;
  return isKind && match.score < THE_SAME ? undefined : { score: match.score, reply: () => turn.replyFrom(match.rule) };
}

export function wordBonus(content: number): number {
  return WORD_BONUS * Math.min(content, MOST_COUNTED_WORDS);
}

/**
 * An answer to a statement: a reaction to one like it, else to its mood or its kind, or to that it replies to a question.
 *
 * @param least the priority from which on there is one
 */
export function acknowledgement(turn: Turn, sentence: Sentence, least = 0): Acknowledgement | undefined {
  const { words, text, asks, terms } = sentence;
  if (asks || words.length < 2) return undefined;
  const { knowledge, said } = turn;
  const match = knowledge.acknowledge.best(words, text);
  const value = wordBonus(contentOf(terms).length);
  const reaction = reactionTo(turn, sentence);
  const reacts = REACTS * (reaction?.score ?? 0);
  if (reaction && reacts >= least) return { value: reacts + value, reply: reaction.reply };
  if ((match?.rule.priority ?? 0) < least) return undefined;
  const isReplied = QUESTION_MARK.test(said.history.at(-1)?.answer ?? '') && !asksWithin(sentence);
  const wished = (match?.rule.priority ?? 0) < SAYS_MUCH && wants(turn, sentence);
  const rule = match?.rule ?? (isReplied ? knowledge.acknowledge.otherwise : undefined);
  if (!rule || wished) return undefined;
  return { value: rule.priority + value, reply: () => turn.replyFrom(rule, match?.slots) };
}
