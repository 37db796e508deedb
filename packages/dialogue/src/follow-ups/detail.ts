import { namesAll } from '../text/compounds.js';
import { Reply } from '../turn/choose.js';
import { contextLinkOf } from '../context/continuation.js';
import { subjectOf } from '../context/subject.js';
import { contentOf } from '../text/terms.js';
import { answersOf, MEASURING, NUMBERS, saysKind, sentenceThat } from '../match/answer-sentences.js';
import { Turn } from '../turn/turn.js';
import { CAREFUL_THRESHOLD, OTHER_AMOUNT } from '../match/scores.js';

const LEAST_CONTINUED = 2;

/**
 * The sentence that says what a short question asks, among those of the answer that was given and of what goes with it:
 * "do they need soaking?" behind a recipe with lentils.
 */
export function detailOf(turn: Turn): Reply | undefined {
  const { knowledge, said, whole } = turn;
  const { shape } = whole.terms;
  const hanging = contextLinkOf(turn, whole);
  if (
    !whole.asks ||
    shape?.addresses ||
    shape?.tells ||
    !hanging ||
    knowledge.set('about').best(whole.words, whole.text)
  )
    return undefined;
  // "And the sun?" may name another subject.
  if (hanging === 'continues' && contentOf(whole.terms).length < LEAST_CONTINUED && !shape?.isNegated) return undefined;
  const last = said.history.at(-1)!.answer;
  const point = turn.pointAfter(last);
  const isFact = knowledge.facts.like(last).length > 0;
  if (!isFact && !(point && knowledge.isIntent(point.topic))) return undefined;
  const topic = point?.topic;
  const isAmount = NUMBERS.has(shape?.kind ?? '');
  const best = knowledge.intents.best(whole.terms);
  // Many intents ask for a number.
  if (best && best.score >= (isAmount ? OTHER_AMOUNT : CAREFUL_THRESHOLD)) return undefined;
  const { terms } = subjectOf(turn);
  const wanted = contentOf(whole.terms).filter((term) => !terms.has(term) && !(isAmount && MEASURING.has(term)));
  const isKnown = (term: string) => knowledge.intents.knows(term);
  const known = wanted.filter(isKnown);
  const named = known.length > 0 ? known : wanted.length > 0 ? wanted : contentOf(whole.terms);
  if (named.length === 0 || shape?.kind === 'who') return undefined;
  const texts = [last, ...(point ? [...answersOf(point.rule), ...answersOf(point.topic)] : [])];
  const found = sentenceThat(
    texts,
    (text) => saysKind(text, shape?.kind) && namesAll(knowledge.terms.of(text), named, knowledge.terms, isKnown),
  );
  return found === undefined ? undefined : { id: topic?.id ?? 'fact', answer: found, isAnswered: true };
}
