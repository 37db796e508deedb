import { MEASURES, pointsBack } from './continuation.js';
import { isInterjection, isReply } from '../match/interjections.js';
import { IntentMatch } from '../match/intent.js';
import { pointingIn } from './pointing.js';
import { Match, Rule } from '../match/rules.js';
import { reportsQuestion, Sentence } from '../text/sentences.js';
import { contentOf } from '../text/terms.js';
import {
  CAREFUL_THRESHOLD,
  CLEAR,
  FAR_AHEAD,
  ONE_WORD_TOLD,
  OVER_LAST_RESORT,
  SURE,
  THE_SAME,
  THRESHOLD,
  TOLD_THRESHOLD,
} from '../match/scores.js';
import { Turn } from '../turn/turn.js';

/** Of one word in less of the examples of an intent than this, it must be far ahead of others. */
const FEW = 0.34;
/** So many words that are nothing of an intent, and such a share of what is named, are too much. */
const MANY = 2;
const HALF = 0.5;
/** Kinds of questions that are for knowledge. */
const FOR_KNOWLEDGE = new Set(['why', 'works', 'who', 'when', 'where', 'meaning']);
/** Begins the ids of rules for what needs care: health, law, food that may be spoiled. */
const CARE = 'safe_';

/** Whether a rule is for what needs care. */
export function needsCare({ id }: Rule): boolean {
  return id.startsWith(CARE);
}

/** Whether a question is for knowledge, and for no advice: why something is so, or what it is, but nothing of the user. */
export function wantsToKnow({ knowledge }: Turn, { terms, words, text, asks }: Sentence): boolean {
  const { kind = '', isOwn } = terms.shape ?? {};
  return asks && !isOwn && (FOR_KNOWLEDGE.has(kind) || knowledge.set('defining').best(words, text) !== undefined);
}

/** What a match must reach: more if it is but a rule's phrase, or the request needs care. */
export function thresholdFor(turn: Turn, sentence: Sentence, match: IntentMatch, careful: Match | undefined): number {
  const { asks, terms, isClause, isPart = false } = sentence;
  const { rule, example } = match;
  if (isReply(rule)) return SURE;
  const isRule = !turn.knowledge.isIntent(rule);
  const isCareful = careful !== undefined && needsCare(careful.rule) && !wantsToKnow(turn, sentence);
  // "OK" is no answer to what is asked.
  if (asks && terms.shape?.kind && isInterjection(rule)) return THE_SAME;
  const named = contentOf(terms);
  const content = named.length;
  if (isChance(turn, sentence, match)) return SURE;
  // "I don't really know how to do this" may be about anything.
  if (!asks && content === 0 && !isRule) return SURE;
  // "Do you have a favourite organ?" is about more than "do you have a favourite?".
  if (asks && isRule && content > 1 && named.some((term) => !example.hasLike(term))) return SURE;
  if (terms.shape?.tells)
    return isRule ? SURE : isCareful ? CAREFUL_THRESHOLD : content < 2 ? ONE_WORD_TOLD : TOLD_THRESHOLD;
  // "How fast?" names nothing.
  if (asks && content < 2 && turn.said.history.length > 0 && MEASURES.has(terms.shape?.kind ?? '')) return SURE;
  if ((isPart || isClause) && content < 2) return SURE;
  if (isCareful || isPart || (asks && (isRule || pointsBack(turn, sentence)))) return CAREFUL_THRESHOLD;
  if (!careful || (needsCare(careful.rule) && !isCareful)) return THRESHOLD;
  // "Would you go to Mars?" is about the avatar.
  return terms.shape?.addresses ? CAREFUL_THRESHOLD : OVER_LAST_RESORT;
}

/**
 * Whether what a request shares with an intent may be chance: words of few of its examples, which others have too, or what
 * the intent is about is not named, but something that it says nothing of.
 */
function isChance(
  { knowledge }: Turn,
  { asks, terms, words, text }: Sentence,
  { rule, score, lead, share, unmet, topics }: IntentMatch,
): boolean {
  const content = contentOf(terms).length;
  if (content === 0) return false;
  if (content === 1) return lead < FAR_AHEAD && share < FEW;
  if (!asks) return false;
  const isSaid = (term: string) => rule.answers.some((answer) => knowledge.terms.of(answer).has(term));
  const isUnmet = () => unmet.some((term) => !isSaid(term));
  if (content === 2) return lead < FAR_AHEAD / 2 && isUnmet();
  const isMuch = () =>
    score < CLEAR && unmet.length >= MANY && unmet.filter((term) => !isSaid(term)).length >= HALF * content;
  // "How do I turn it over?" is about what was named before.
  if (pointingIn(knowledge, { words, text })) return false;
  return (topics.some((term) => !terms.has(term)) && isUnmet()) || isMuch();
}

/** Whether a sentence asks for something, be it as a wish or as a problem. */
export function wants({ knowledge }: Turn, sentence: Sentence): boolean {
  const { asks, words, text } = sentence;
  return (
    asks ||
    reportsQuestion(sentence) ||
    ['wanting', 'steps', 'simpler'].some((name) => knowledge.set(name).best(words, text) !== undefined)
  );
}
