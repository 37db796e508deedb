import { amountAgain } from '../context/amounts.js';
import { Reply } from '../turn/choose.js';
import { continued, ContextLink, withSubject } from '../context/continuation.js';
import { IntentMatch } from '../match/intent-index.js';
import { isReply } from '../match/interjections.js';
import { Sentence } from '../text/sentences.js';
import { passageFor, subjectOf } from '../context/subject.js';
import { contentOf, saysOf } from '../text/terms.js';
import { MEASURING } from '../match/answer-sentences.js';
import { CAREFUL_THRESHOLD, FAR_AHEAD, MARGIN, SURE, THE_SAME, THRESHOLD, WORD_FOR_WORD } from '../match/scores.js';
import { Turn } from '../turn/turn.js';

/** What answers a sentence that hangs on what was said before. */
export function replyInContext(
  turn: Turn,
  sentence: Sentence,
  hanging: ContextLink,
  best?: IntentMatch,
): Reply | undefined {
  const { knowledge } = turn;
  const amount = amountAgain(turn, sentence);
  // Once more what was said is the answer only if there is no other.
  const isTold = amount && turn.said.history.at(-1)!.answer.includes(amount.answer);
  const more = amount && !isTold ? undefined : continued(turn, sentence, THRESHOLD, best);
  if (more) return turn.replyFrom(more);
  if (amount) return amount;
  const content = contentOf(sentence.terms);
  const isSame = best !== undefined && best.score >= WORD_FOR_WORD && knowledge.isIntent(best.rule);
  const pointed = hanging !== 'short' && content.length === 0 && !isSame ? withSubject(turn, sentence) : undefined;
  if (pointed) return turn.replyFrom(pointed);
  if (hanging === 'short') return passageFor(turn, sentence);
  const { terms, rule } = subjectOf(turn);
  // By itself it may mean anything: it must be nearly an example, or name the subject too.
  const isMany = saysOf(sentence.terms) > 1;
  const isClear = isMany || (hanging === 'implies' && best !== undefined && best.lead >= FAR_AHEAD);
  const isNear = best !== undefined && best.lead >= MARGIN && best.score >= (isClear ? CAREFUL_THRESHOLD : SURE);
  const isOfSubject = best !== undefined && [...knowledge.passages.topicsOf(best.rule)].some((term) => terms.has(term));
  const shares = content.some((term) => terms.has(term)) && best?.rule !== rule;
  if (
    best &&
    best.score >= THE_SAME &&
    best.lead >= MARGIN &&
    !isReply(best.rule) &&
    (content.length !== 1 || isOfSubject || best.score >= WORD_FOR_WORD)
  )
    return turn.replyFrom(best.rule);
  // "How hot is it?" may be asked of anything.
  const isMeasure = content.every((term) => MEASURING.has(term));
  const isEnough = hanging === 'implies' ? !isMeasure : hanging !== 'points';
  if (best && isNear && knowledge.isIntent(best.rule) && (isEnough || isMany || shares))
    return turn.replyFrom(best.rule);
  return passageFor(turn, sentence);
}
