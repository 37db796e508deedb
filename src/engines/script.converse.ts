import { factsFor } from './script.about.js';
import { acknowledgement, wordBonus } from './script.acknowledge.js';
import { afterCrisis } from './script.aftercare.js';
import { withoutAvoided } from './script.avoid.js';
import { Reply, Said } from './script.choose.js';
import { CompiledScript } from './script.compiled.js';
import { continued, Hanging, hangingOf, leavesOut, withStatement } from './script.context.js';
import { urgent } from './script.danger.js';
import { detailOf } from './script.detail.js';
import { unknown, wants } from './script.fallback.js';
import { followUp, isInterjection, isReply } from './script.follow.js';
import { IntentMatch } from './script.intents.js';
import { needsCare, thresholdFor } from './script.needed.js';
import { negatedMood, weighing } from './script.mood.js';
import { Match, Rule } from './script.rules.js';
import { isBareQuestion, withoutBareQuestion, withoutGreeting } from './script.parts.js';
import {
  clausesOf,
  embeddedIn,
  QUESTION_WORDS,
  Sentence,
  sentencesOf,
  wishedIn,
  withoutOpening,
} from './script.sentences.js';
import { aboutLast, knownOf, passageFor, subjectOf } from './script.subject.js';
import { contentOf, saysOf } from './script.terms.js';
import { onThing, onThingAgain } from './script.things.talk.js';
import { unknownOfThing } from './script.things.unknown.js';
import { CAREFUL_THRESHOLD, isMeant, MARGIN, SURE, THE_SAME, THRESHOLD } from './script.thresholds.js';
import { Turn } from './script.turn.js';
import { skillReply, tellReply } from './skills/skills.js';

/** Rules whose words stand in wishes too: "I would like to …". */
const AGREES = new Set(['yes', 'no']);
const WORD_FOR_WORD = 0.995;
const GREETINGS = new Set(['greeting', 'good_morning']);
/** What counts for a sentence of several: that it asks. */
const ASKING_BONUS = 0.3;
/** From this share of its words on a sentence says little else than a rule's phrase. */
const MOST_OF_IT = 0.6;

/** A greeting, or thanks, of more words says something else too. */
const LONG_GREETING = 5;
/** What an interjection counts less where something else is said too. */
const INTERJECTION = 2;
/** An exclamation has at most so many words: "how strange". */
const EXCLAIMED = 3;
/** A question of so many words asks for something, though each of them says little: "what did we get out of it?". */
const LEAST_ASKED = 4;
/** Kinds of questions that are for knowledge, and for no advice, if they are not about the user. */
const FOR_KNOWLEDGE = new Set(['why', 'works', 'who', 'when', 'where']);

interface Candidate {
  readonly value: number;
  readonly isInterjection?: boolean;
  readonly isExclamation?: boolean;
  readonly reply: () => Reply;
}

/** The answer of a script that says honestly what it does not know. */
export function converse(said: Said, script: CompiledScript, others: readonly CompiledScript[], now: number): Reply {
  const turn = new Turn(said, script, others, now);
  return (
    urgent(turn) ??
    afterCrisis(turn) ??
    skillReply(turn, turn.whole) ??
    withoutAvoided(
      turn,
      onThingAgain(turn) ??
        followUp(turn) ??
        aboutLast(turn) ??
        detailOf(turn) ??
        answer(turn) ??
        knownOf(turn) ??
        unknownOfThing(turn) ??
        unknown(turn),
    )
  );
}

/** The answer to the sentence that asks most. */
function answer(turn: Turn): Reply | undefined {
  const { terms } = turn.talk;
  const candidates: Candidate[] = [];
  const add = (sentence: Sentence): boolean => {
    const candidate = candidateFor(turn, sentence);
    if (candidate) candidates.push(candidate);
    return candidate !== undefined;
  };
  const { name } = turn.said.avatar;
  const [first, ...others] = sentencesOf(turn.request, terms, name);
  const spoken = first ? [withoutGreeting(first, terms, name), ...others] : [];
  const sentences = withoutBareQuestion(turn, spoken).map((sentence, index, all) =>
    index > 0 ? { ...sentence, before: all.slice(0, index) } : sentence,
  );
  const left = sentences.filter((sentence) => !add(sentence));
  const isAsked = left.some((sentence) => asksForSomething(turn, sentence) || isLongQuestion(sentence));
  const isMore = isAsked || turn.whole.words.length > 2 * EXCLAIMED;
  const isBeside = (one: Candidate) => one.isInterjection === true || (isMore && one.isExclamation === true);
  const isMissing = () => candidates.every(isBeside);
  if (isMissing()) {
    if (left.length > 0 && sentences.length > 1) add(turn.whole);
    const clauses = clausesOf(turn.whole, terms, name).filter((one) => !isBareQuestion(turn, one));
    for (const clause of clauses.filter((one) => asksForSomething(turn, one))) add(clause);
    if (isMissing()) for (const clause of clauses.filter((one) => one.terms.shape?.tells)) add(clause);
    if (!left.some((sentence) => wants(turn, sentence)))
      for (const clause of clauses) if (isMissing() && isInterjectionAlone(turn, clause)) add(clause);
    const rests = left.flatMap((sentence) => [
      ...withoutOpening(sentence, terms),
      ...embeddedIn(sentence, terms),
      ...wishedIn(sentence, terms),
    ]);
    for (const rest of rests) if (isMissing()) add(rest);
  }
  if (left.length > 0 && isMissing()) {
    // Thanks for nothing, where a question is left.
    if (sentences.length > 1 && isAsked) return undefined;
    candidates.push(...left.flatMap((sentence) => acknowledgement(turn, sentence) ?? []));
  } else if (isMissing()) {
    // "Hi Ada, went for a walk on the beach."
    const long = sentences.filter((one) => one.words.length > LONG_GREETING && contentOf(one.terms).length > 1);
    candidates.push(...long.flatMap((sentence) => acknowledgement(turn, sentence) ?? []));
  }
  const rank = (one: Candidate) => (isBeside(one) ? one.value - INTERJECTION : one.value);
  return candidates.sort((one, other) => rank(other) - rank(one))[0]?.reply();
}

/** "Thanks" before what is not understood. */
function isInterjectionAlone({ talk }: Turn, { terms }: Sentence): boolean {
  const best = talk.intents.best(terms);
  const isGreeting = best !== undefined && GREETINGS.has(best.rule.id);
  return best !== undefined && best.score >= SURE && isInterjection(best.rule) && !isReply(best.rule) && !isGreeting;
}

/** Not the beginning of "is it true that …", which alone would agree. */
function asksForSomething({ talk }: Turn, { asks, terms }: Sentence): boolean {
  const best = talk.intents.best(terms);
  const says = contentOf(terms).length > 0 || (best !== undefined && best.score >= SURE);
  return asks && says && !['yes', 'no'].includes(best?.rule.id ?? '');
}

function isLongQuestion({ asks, words }: Sentence): boolean {
  return asks && words.length >= LEAST_ASKED && words.slice(0, 2).some(({ text }) => QUESTION_WORDS.has(text));
}

function candidateFor(turn: Turn, sentence: Sentence): Candidate | undefined {
  const { talk } = turn;
  const content = contentOf(sentence.terms).length;
  const bonus = (sentence.asks ? ASKING_BONUS : 0) + wordBonus(content);
  const candidate = (score: number, reply: () => Reply): Candidate => ({
    value: score + bonus,
    reply,
  });
  const skill = sentence === turn.whole ? undefined : skillReply(turn, sentence);
  if (skill) return candidate(1.2, () => skill);
  const found = talk.intents.best(sentence.terms);
  const best = found && leavesOut(turn, sentence, found) ? undefined : found;
  const isClear = best !== undefined && best.score >= (talk.isIntent(best.rule) ? CAREFUL_THRESHOLD : THE_SAME);
  const mood = isClear ? undefined : negatedMood(turn, sentence);
  if (mood) return candidate(0.9, () => mood);
  const thing = onThing(turn, sentence, best);
  if (thing) return candidate(thing.score, () => thing.reply);
  const hanging = sentence.isClause ? undefined : hangingOf(turn, sentence);
  const hung = hanging && candidateOf(turn, sentence, hanging, best);
  if (hung || (hanging && hanging !== 'short')) return hung && candidate(0.8, () => hung);
  const told = sentence.asks
    ? undefined
    : (turn.introduction(sentence) ?? talk.slots.best(sentence.words, sentence.text));
  const facts = factsFor(turn, sentence, content, best);
  if (facts.length > 0) return candidate(0.9, () => turn.fact(facts));
  const careful = talk.last.best(sentence.words, sentence.text);
  const isSure = best !== undefined && best.score >= (talk.isIntent(best.rule) ? CAREFUL_THRESHOLD : SURE);
  const kept = sentence.asks || isSure || told?.rule === talk.tellName ? undefined : tellReply(turn, sentence);
  if (kept) return candidate(0.8, () => weighing(turn, sentence) ?? kept);
  if (best && isMeant(best, thresholdFor(turn, sentence, best, careful)) && !(told && best.score < SURE))
    return {
      ...candidate(best.score, () => turn.from(ruleFor(turn, best.rule))),
      isInterjection: isInterjection(best.rule),
      isExclamation: isExclamation(sentence),
    };
  if (told) return candidate(told.rule === talk.tellName ? 1 : 0.7, () => turn.from(told.rule, told.slots));
  // By the stems that phrases end in: `thank*`.
  const phrase = turn.script.rules.best(sentence.words, sentence.text);
  const isMost = phrase !== undefined && phrase.weight / sentence.words.length >= MOST_OF_IT;
  if (isMost && phrase.rule.priority === 0 && !AGREES.has(phrase.rule.id) && !namesOther(turn, sentence, phrase))
    return candidate(0.6, () => turn.from(phrase.rule, phrase.slots));
  return careful && isAdvice(turn, sentence, careful.rule)
    ? candidate(0.6, () => turn.from(careful.rule, careful.slots))
    : undefined;
}

/** "How strange", before a question. */
function isExclamation({ asks, words, terms }: Sentence): boolean {
  return !asks && words.length <= EXCLAIMED && contentOf(terms).length < 2;
}

/** Whether a rule for what needs care fits: not to "why is it so poisonous?", nor to news that weigh more. */
function isAdvice(turn: Turn, sentence: Sentence, rule: Rule): boolean {
  const { asks, terms } = sentence;
  if (!needsCare(rule)) return true;
  if (asks) return !FOR_KNOWLEDGE.has(terms.shape?.kind ?? '') || terms.shape?.isOwn === true;
  return rule.id === 'safe_medical' || weighing(turn, sentence) === undefined;
}

/** "How do I make naan?" is about more than "how do I make". */
function namesOther({ talk }: Turn, { words, terms, asks }: Sentence, { at, weight }: Match): boolean {
  const rest = [...words.slice(0, at), ...words.slice(at + Math.floor(weight))];
  return (
    asks &&
    terms.shape?.kind !== undefined &&
    rest.some(({ text }) => contentOf(terms).includes(talk.terms.stemOf(text)))
  );
}

/** What answers a sentence that hangs on what was said before. */
function candidateOf(turn: Turn, sentence: Sentence, hanging: Hanging, best?: IntentMatch): Reply | undefined {
  const { talk } = turn;
  const more = continued(turn, sentence, THRESHOLD, best);
  if (more) return turn.from(more);
  const pointed =
    hanging === 'points' && contentOf(sentence.terms).length === 0 ? withStatement(turn, sentence) : undefined;
  if (pointed) return turn.from(pointed);
  if (hanging === 'short') return passageFor(turn, sentence);
  const content = contentOf(sentence.terms);
  const { terms, rule } = subjectOf(turn);
  // By itself it may mean anything: it must be nearly an example, or name the subject too.
  const isMany = saysOf(sentence.terms) > 1;
  const isNear = best !== undefined && best.lead >= MARGIN && best.score >= (isMany ? CAREFUL_THRESHOLD : SURE);
  const shares = content.some((term) => terms.has(term)) && best?.rule !== rule;
  if (
    best &&
    best.score >= THE_SAME &&
    best.lead >= MARGIN &&
    !isReply(best.rule) &&
    (content.length !== 1 || best.score >= WORD_FOR_WORD)
  )
    return turn.from(best.rule);
  if (best && isNear && talk.isIntent(best.rule) && (hanging !== 'points' || isMany || shares))
    return turn.from(best.rule);
  return passageFor(turn, sentence);
}

/** "OK" agrees to a question; to anything else it says that it was understood. */
function ruleFor({ talk, said }: Turn, rule: Rule): Rule {
  const last = said.history.at(-1)?.answer ?? '';
  return rule.id === 'yes' && last !== '' && !last.includes('?') ? (talk.ruleOf('understood') ?? rule) : rule;
}
