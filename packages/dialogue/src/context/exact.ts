import { MEASURES } from './continuation.js';
import { isInterjection, isReply } from '../match/interjections.js';
import { IntentMatch } from '../match/intent-index.js';
import { Sentence } from '../text/sentences.js';
import { isContinuation } from './subject.js';
import { contentOf } from '../text/terms.js';
import { THE_SAME, WORD_FOR_WORD } from '../match/scores.js';
import { Turn } from '../turn/turn.js';

/** The share of a request that the words of a follow-up cover which go before an example. */
const WHOLE = 0.8;

/**
 * Whether a sentence stands among the examples of an intent, word for word or nearly. All that guesses what it hangs on
 * comes behind: unless it says itself that it goes on, or names but what is measured, as in "how long do I wait?".
 */
export function isExample(
  turn: Turn,
  sentence: Sentence,
  best: IntentMatch | undefined = turn.knowledge.intents.best(sentence.terms),
): boolean {
  const { terms } = sentence;
  const content = contentOf(terms).length;
  if (!best || content === 0 || best.lead <= 0 || best.score < (content === 1 ? WORD_FOR_WORD : THE_SAME)) return false;
  // "Give me an example" is about the last answer.
  if (best.isGeneral || !turn.knowledge.isIntent(best.rule) || isReply(best.rule) || isInterjection(best.rule))
    return false;
  if (best.score < WORD_FOR_WORD && best.example.shape?.kind !== terms.shape?.kind) return false;
  if (content === 1 && MEASURES.has(terms.shape?.kind ?? '')) return false;
  return !isContinuation(turn, sentence);
}

/** Whether a whole request is an example, and no follow-up of the last answer. */
export function isExampleAlone(turn: Turn): boolean {
  const { said, whole } = turn;
  if (!isExample(turn, whole)) return false;
  const point = said.history.length > 0 ? turn.pointAfter(said.history.at(-1)!.answer) : undefined;
  return [point?.rule, point?.topic].every((rule) => {
    const match = rule?.then?.best(whole.words, whole.text);
    return !match || match.weight / whole.words.length < WHOLE;
  });
}
