import { MEASURES, pointsBack } from './script.context.js';
import { isInterjection, isReply } from './script.interjections.js';
import { IntentMatch } from './script.intents.js';
import { Match, Rule } from './script.rules.js';
import { Sentence } from './script.sentences.js';
import { contentOf, ExampleTerms } from './script.terms.js';
import { CAREFUL_THRESHOLD, SURE, THE_SAME, THRESHOLD } from './script.thresholds.js';
import { Turn } from './script.turn.js';
import { isSimilar } from './script.typos.js';

const TOLD_THRESHOLD = 0.6;
/** Of a statement with one word that says something. */
const ONE_TOLD = 0.66;
/** If a rule of last resort has words for it. */
const RULED = 0.68;
/** Begins the ids of rules for what needs care: health, law, food that may be spoiled. */
const CARE = 'safe_';

/** Whether a rule is for what needs care. */
export function needsCare({ id }: Rule): boolean {
  return id.startsWith(CARE);
}

/** What a match must reach: more if it is but a rule's phrase, or the request needs care. */
export function thresholdFor(
  turn: Turn,
  sentence: Sentence,
  { rule, example }: IntentMatch,
  careful: Match | undefined,
): number {
  const { asks, terms, isClause, isPart = false } = sentence;
  if (isReply(rule)) return SURE;
  const isRule = !turn.talk.isIntent(rule);
  const isCareful = careful !== undefined && needsCare(careful.rule);
  // "OK" is no answer to what is asked.
  if (asks && terms.shape?.kind && isInterjection(rule)) return THE_SAME;
  const named = contentOf(terms);
  const content = named.length;
  // "Do you have a favourite organ?" is about more than "do you have a favourite?".
  if (asks && isRule && content > 1 && named.some((term) => !isLike(example, term))) return SURE;
  if (terms.shape?.tells)
    return isRule ? SURE : isCareful ? CAREFUL_THRESHOLD : content < 2 ? ONE_TOLD : TOLD_THRESHOLD;
  // "How fast?" names nothing.
  if (asks && content < 2 && turn.said.history.length > 0 && MEASURES.has(terms.shape?.kind ?? '')) return SURE;
  if ((isPart || isClause) && content < 2) return SURE;
  if (isCareful || isPart || (asks && (isRule || pointsBack(turn, sentence)))) return CAREFUL_THRESHOLD;
  if (!careful) return THRESHOLD;
  // "Would you go to Mars?" is about the avatar.
  return terms.shape?.addresses ? CAREFUL_THRESHOLD : RULED;
}

function isLike(example: ExampleTerms, term: string): boolean {
  return example.has(term) || example.terms.some((one) => isSimilar(one, term));
}
