import { ALL, SOME } from '../match/fact-book.js';
import { isInterjection } from '../match/interjections.js';
import { IntentMatch } from '../match/intent-index.js';
import { Sentence } from '../text/sentences.js';
import { SURE, THRESHOLD } from '../match/scores.js';
import { Turn } from '../turn/turn.js';

/** Facts on what a sentence asks to hear about, or on the only thing that it names. */
export function factsFor(
  { knowledge }: Turn,
  { words, text, terms, asks, isClause }: Sentence,
  content: number,
  best: IntentMatch | undefined,
): readonly string[] {
  // "A joke about dogs" asks for no fact, "something funny about dogs" may be answered by one.
  const topic = knowledge.set('about').best(words, text)?.slots.about;
  const isOfKind = topic !== undefined && knowledge.set('about_funny').best(words, text) !== undefined;
  if (!isOfKind && ['joke', 'story'].some((name) => knowledge.set(name).best(words, text))) return [];
  // Nor do "thanks, love".
  const isOther = best && best.score >= SURE && (knowledge.isIntent(best.rule) || isInterjection(best.rule));
  if (knowledge.facts.size === 0 || isOther) return [];
  const isBare =
    !isClause && words.length <= content + (asks ? 1 : 2) && !terms.shape?.tells && !terms.shape?.isNegated;
  const offered = (topic || isBare) && knowledge.topics.find((one) => text.toLowerCase().includes(one.toLowerCase()));
  const found = offered ? knowledge.facts.about(offered, SOME) : topic ? knowledge.facts.about(topic) : [];
  if (found.length > 0) return found;
  if (knowledge.set('fact').best(words, text) && content <= 3) return knowledge.facts.all();
  const isTaken = best && best.score >= (knowledge.isIntent(best.rule) ? THRESHOLD : SURE);
  return isBare && content <= 3 && !isTaken ? knowledge.facts.about(text, ALL) : [];
}
