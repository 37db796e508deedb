import { factsFor } from './facts-for.js';
import { reactionTo, wordBonus } from '../reactions/acknowledge.js';
import { Reply } from '../turn/choose.js';
import { contextLinkOf, leavesOut } from '../context/continuation.js';
import { isExample } from '../context/exact.js';
import { replyInContext } from '../follow-ups/in-context.js';
import { isInterjection } from '../match/interjections.js';
import { nameAlone, withoutReturn } from '../text/introduction.js';
import { needsCare, thresholdFor, wantsToKnow } from '../context/needed-score.js';
import { mixedMood, negatedMood, weighing } from '../reactions/mood.js';
import { Match, Rule } from '../match/rules.js';
import { tellOfOthers } from '../text/people.js';
import { asksWithin, Sentence, wishedIn } from '../text/sentences.js';
import { saysMore } from './unremembered.js';
import { contentOf } from '../text/terms.js';
import { onThing } from '../things/answer.js';
import { onThingInverted, onThingTold } from '../things/told.js';
import {
  ASKING_BONUS,
  CAREFUL_THRESHOLD,
  CONTEXT_VALUE,
  FACT_VALUE,
  isMeant,
  LAST_RESORT_VALUE,
  MOOD_VALUE,
  NAME_VALUE,
  REMEMBERED_VALUE,
  SKILL_VALUE,
  SLOT_VALUE,
  SURE,
  THE_SAME,
} from '../match/scores.js';
import { Turn, withoutFalsePlace } from '../turn/turn.js';
import { skillReply, tellReply } from '../skills/skills.js';

/** Rules whose words stand in wishes too: "I would like to …". */
const AGREES = new Set(['yes', 'no']);
/** From this share of its words on a sentence says little else than a rule's phrase. */
const MOST_OF_IT = 0.6;
/** An exclamation has at most so many words: "how strange". */
export const EXCLAIMED = 3;

/** In words: who says a name and nothing else. */
const MOST_INTRODUCING = 6;

/** Goodbyes, and thanks, with the priority from which on what is acknowledged goes before them. */
const CLOSING: ReadonlyMap<string, number> = new Map([
  ...['bye', 'good_night', 'bye_thanks', 'ciao_bye'].map((id) => [id, 60] as const),
  ...['thanks', 'thanks_helped', 'thanks_listening', 'thanks_boss'].map((id) => [id, 41] as const),
]);

/** What one sentence of a request would be answered. */
export interface Candidate {
  readonly value: number;
  readonly isInterjection?: boolean;
  readonly isExclamation?: boolean;
  /** Whether it only greets who says a name. */
  readonly isName?: boolean;
  /** Whether it only reacts to what is told. */
  readonly isReaction?: boolean;
  /** Whether the sentence wishes for something too. */
  readonly isAside?: boolean;
  /** Of a goodbye, or thanks: the priority of what is acknowledged instead. */
  readonly closes?: number;
  /** Whether it goes before a goodbye: an answer to what is asked, or what is surely meant. */
  readonly weighs?: boolean;
  /** Whether it answers a sentence that asks. */
  readonly asked?: boolean;
  readonly reply: () => Reply;
}

/**
 * What a sentence would be answered, and what that counts. The first of these that fits:
 *
 * 1. a name alone: "Laura, encantada"
 * 2. a skill: "Hello! What's 12 * 7?"
 * 3. doubt about what stands beside it: "The Moon is made of cheese. Is that true?"
 * 4. a mixed mood, or one that is negated: "I'm not sad, just exhausted"
 * 5. a question that is an example of an intent: "how far away is the moon"
 * 6. a question on a thing: "How heavy is a shark?"
 * 7. what was said before: "which one is the hottest"; what surely goes on with it gets this or nothing
 * 8. a fact: "a fact about dreams"
 * 9. a sure reaction to a statement: "I lost my keys again"
 * 10. what is remembered, if nothing else is said: "my sister's birthday is on 3 May"
 * 11. a reaction that is less sure
 * 12. a problem with a thing: "my muffins are always tough"
 * 13. an intent, or a rule by its examples, that reaches {@link thresholdFor}: "thank you so much"
 * 14. what a slot remembers: "I live in Hamburg"
 * 15. a rule by its phrase: "cuéntame un chiste de ciencia"
 * 16. a rule of last resort: "I have a rash on my arm"
 * 17. what is remembered beside something else: "I'm ten and I want to make pancakes"
 */
export function candidateFor(turn: Turn, sentence: Sentence): Candidate | undefined {
  const { knowledge } = turn;
  const content = contentOf(sentence.terms).length;
  const bonus = (sentence.asks ? ASKING_BONUS : 0) + wordBonus(content);
  const candidate = (score: number, reply: () => Reply): Candidate => ({
    value: score + bonus,
    weighs: sentence.asks || score >= SURE,
    reply,
  });
  const named = introduced(turn, sentence);
  if (named) return { ...candidate(NAME_VALUE, () => turn.replyFrom(named.rule, named.slots)), isName: true };
  const skill = sentence === turn.whole ? undefined : skillReply(turn, sentence);
  if (skill) return candidate(skill.isNothing ? LAST_RESORT_VALUE : SKILL_VALUE, () => skill);
  const found = knowledge.intents.best(sentence.terms);
  const best = found && leavesOut(turn, sentence, found) ? undefined : found;
  // "The Moon is made of cheese. Is that true?"
  const isDoubt =
    best?.rule.id === 'really' ||
    (sentence.asks && AGREES.has(best?.rule.id ?? '') && best?.second?.rule.id === 'really');
  const isOfOther = isDoubt && contentOf(turn.whole.terms).some((term) => !sentence.terms.has(term));
  const unsure = isOfOther ? turn.builtInReply('unsure_whether', false) : undefined;
  if (unsure) return candidate(best!.score, () => unsure);
  const isClear = best !== undefined && best.score >= (knowledge.isIntent(best.rule) ? CAREFUL_THRESHOLD : THE_SAME);
  const reaction = reactionTo(turn, sentence);
  const isHeard = isClear || (reaction !== undefined && reaction.score >= CAREFUL_THRESHOLD);
  const mood = mixedMood(turn, sentence) ?? (isHeard ? undefined : negatedMood(turn, sentence));
  if (mood) return candidate(MOOD_VALUE, () => mood);
  if (best && sentence.asks && isExample(turn, sentence, best))
    return candidate(best.score, () => turn.replyFrom(best.rule));
  const thing = onThing(turn, sentence, best);
  if (thing) return candidate(thing.score, () => thing.reply);
  const hanging = sentence.isClause ? undefined : contextLinkOf(turn, sentence);
  const hung = hanging && replyInContext(turn, sentence, hanging, best);
  if (hung || (hanging && hanging !== 'short')) return hung && candidate(CONTEXT_VALUE, () => hung);
  const told = sentence.asks
    ? undefined
    : (turn.introduction(sentence) ?? withoutFalsePlace(knowledge.slots.best(sentence.words, sentence.text)));
  const facts = factsFor(turn, sentence, content, best);
  if (facts.length > 0) return candidate(FACT_VALUE, () => turn.fact(facts));
  const careful = knowledge.last.best(sentence.words, sentence.text);
  const isSure = best !== undefined && best.score >= (knowledge.isIntent(best.rule) ? CAREFUL_THRESHOLD : SURE);
  const isName = told?.rule === knowledge.tellName;
  // What the avatar itself has to say goes before, if it fits well.
  const bar = best && knowledge.isIntent(best.rule) && isSure ? Math.max(best.score, THE_SAME) : (best?.score ?? 0);
  const reacts = reaction && reaction.score > bar ? reaction : undefined;
  const reacting = reacts && {
    ...candidate(reacts.score, reacts.reply),
    weighs: reacts.score >= THE_SAME,
    isReaction: true,
  };
  if (reacts && reacts.score >= SURE) return reacting;
  const kept = sentence.asks || isSure || isName ? undefined : tellReply(turn, sentence);
  const keeps = kept && { ...candidate(REMEMBERED_VALUE, () => weighing(turn, sentence) ?? kept), isReaction: true };
  const isMore = (keeps !== undefined || told !== undefined) && saysMore(turn, sentence);
  // "I'm ten and I want to make pancakes" is about those.
  if (keeps && !isMore && wishedIn(sentence, knowledge.terms).length === 0) return keeps;
  if (reacting && (!told || isMore || (isName && reacts.score >= CAREFUL_THRESHOLD))) return reacting;
  const trouble =
    sentence.asks || told ? undefined : (onThingTold(turn, sentence, best) ?? onThingInverted(turn, sentence, best));
  if (trouble) return candidate(trouble.score, () => trouble.reply);
  if (best && isMeant(best, thresholdFor(turn, sentence, best, careful)) && !(told && !isMore && best.score < SURE))
    return {
      ...candidate(best.score, () => turn.replyFrom(ruleFor(turn, best.rule))),
      isInterjection: isInterjection(best.rule),
      closes: CLOSING.get(best.rule.id),
      isExclamation: isExclamation(sentence),
    };
  if (told)
    return {
      ...candidate(isName ? NAME_VALUE : SLOT_VALUE, () => turn.replyFrom(told.rule, told.slots)),
      isName,
      isAside: isMore,
      isReaction: true,
    };
  // By the stems that phrases end in: `thank*`.
  const phrase = turn.script.rules.best(sentence.words, sentence.text);
  const isMost = phrase !== undefined && phrase.weight / sentence.words.length >= MOST_OF_IT;
  if (isMost && phrase.rule.priority === 0 && !AGREES.has(phrase.rule.id) && !namesOther(turn, sentence, phrase))
    return candidate(LAST_RESORT_VALUE, () => turn.replyFrom(phrase.rule, phrase.slots));
  return careful && isAdvice(turn, sentence, careful.rule)
    ? candidate(LAST_RESORT_VALUE, () => turn.replyFrom(careful.rule, careful.slots))
    : keeps && { ...keeps, isAside: true };
}

/** Who only says a name, or says it and asks for the avatar's: "Laura, encantada", "me llamo Pepe, ¿y tú?". */
function introduced(turn: Turn, sentence: Sentence): Pick<Match, 'rule' | 'slots'> | undefined {
  const { knowledge, said } = turn;
  const rule = knowledge.tellName;
  const name = rule && nameAlone(sentence, said.history.at(-1)?.answer ?? '');
  if (name !== undefined) return { rule: rule!, slots: { name } };
  const words = sentence.asks ? withoutReturn(sentence.words) : undefined;
  if (!rule || !words) return undefined;
  const told = turn.introduction({ ...sentence, words }) ?? knowledge.slots.best(words, sentence.text);
  return told?.rule === rule && words.length <= MOST_INTRODUCING ? told : undefined;
}

/** "How strange", before a question. */
function isExclamation({ asks, words, terms }: Sentence): boolean {
  return !asks && words.length <= EXCLAIMED && contentOf(terms).length < 2;
}

/** Whether a rule for what needs care fits: not to "why is it so poisonous?", nor to news that weigh more. */
function isAdvice(turn: Turn, sentence: Sentence, rule: Rule): boolean {
  if (!needsCare(rule)) return true;
  if (sentence.asks) return !wantsToKnow(turn, sentence);
  // "My friend has cancer."
  const { terms, words } = sentence;
  if (terms.shape?.tells && tellOfOthers(words) && !asksWithin(sentence)) return false;
  return rule.id === 'safe_medical' || weighing(turn, sentence) === undefined;
}

/** "How do I make naan?" is about more than "how do I make". */
function namesOther({ knowledge }: Turn, { words, terms, asks }: Sentence, { at, weight }: Match): boolean {
  const rest = [...words.slice(0, at), ...words.slice(at + Math.floor(weight))];
  return (
    asks &&
    terms.shape?.kind !== undefined &&
    rest.some(({ text }) => contentOf(terms).includes(knowledge.terms.stemOf(text)))
  );
}

/** "OK" agrees to a question; to anything else it says that it was understood. */
function ruleFor({ knowledge, said }: Turn, rule: Rule): Rule {
  const last = said.history.at(-1)?.answer ?? '';
  return rule.id === 'yes' && last !== '' && !last.includes('?') ? (knowledge.ruleOf('understood') ?? rule) : rule;
}
