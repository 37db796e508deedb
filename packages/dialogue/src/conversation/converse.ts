import { acknowledgement } from '../reactions/acknowledge.js';
import { exampleOf, fronted, namedAgain } from '../follow-ups/again.js';
import { afterCrisis } from '../care/aftercare.js';
import { withAllergyAdvice } from '../care/allergies.js';
import { withoutAvoided } from '../care/avoid.js';
import { Reply, Said } from '../turn/choose.js';
import { Candidate, candidateFor, EXCLAIMED } from './candidates.js';
import { CompiledScript } from '../script/compiled.js';
import { corrected, withoutDenied } from './correct.js';
import { emergencyReply } from '../care/danger.js';
import { detailOf } from '../follow-ups/detail.js';
import { unknown } from '../reactions/fallback.js';
import { wants } from '../context/needed-score.js';
import { isExampleAlone } from '../context/exact.js';
import { followUp } from '../follow-ups/follow.js';
import { goodbyeReply } from '../reactions/goodbye.js';
import { withoutRepeat } from '../reactions/repeats.js';
import { isInterjection, isReply } from '../match/interjections.js';
import { followEarlier } from '../follow-ups/earlier.js';
import { isBareQuestion, withoutBareQuestion, withoutGreeting } from '../context/request-parts.js';
import {
  clausesOf,
  embeddedIn,
  QUESTION_WORDS,
  Sentence,
  sentencesOf,
  wishedIn,
  withoutOpening,
} from '../text/sentences.js';
import { stepAfter } from '../context/steps.js';
import { aboutLast, knownOf, unknownReason } from '../context/subject.js';
import { partsBesides } from './unremembered.js';
import { contentOf } from '../text/terms.js';
import { onThing, onThingAgain } from '../things/answer.js';
import { unknownOfThing } from '../things/unknown.js';
import { namedTopic, takenTopic } from './topics.js';
import { INTERJECTION_COST, SURE } from '../match/scores.js';
import { Turn } from '../turn/turn.js';
import { skillReply } from '../skills/skills.js';

const GREETINGS = new Set(['greeting', 'good_morning']);

/** A greeting, or thanks, of more words says something else too. */
const LONG_GREETING = 5;
/** A question of so many words asks for something, though each of them says little: "what did we get out of it?". */
const LEAST_ASKED = 4;

/**
 * The answer of a script that says honestly what it does not know. The first of these that has one:
 *
 * 1. danger, and the turns after it: "I want to die"
 * 2. a correction: "no, I meant the moon"
 * 3. a topic that the last answer offered: "the second one"
 * 4. a question behind what it is about, asked anew: "and the eggs, what could I do with them?"
 * 5. a skill for the whole request: "12 * 7"; if it only finds nothing of what was told, first a follow-up or what is
 *    surely meant
 * 6. a goodbye: "I'll go to bed now, good night"
 * 7. an example of what was told: "give me an example"
 * 8. the last thing, "how heavy is it?", a follow-up, "yes, please", an earlier one, or the last answer, "why?"
 * 9. the sentence, or part of one, that counts most: "Hello! How far is the moon?", see {@link candidateFor}; if all say
 *    little, an acknowledgement: "had a long day at the lab"
 * 10. what is known that says all that is asked, or an honest answer: "xyzzy plugh"
 *
 * A request that is an example of an intent skips 6, 8, and a 5 that finds nothing. An answer of 7 to 10 is not repeated,
 * names nothing that the user does not eat, and heeds allergies; one of 5 to 10 is none to what the user denies.
 */
export function converse(said: Said, script: CompiledScript, others: readonly CompiledScript[], now: number): Reply {
  const turn = new Turn(said, script, others, now);
  const ask = (request: string) => replyIn(new Turn({ ...said, request }, script, others, now));
  return (
    emergencyReply(turn) ??
    afterCrisis(turn) ??
    corrected(turn, ask) ??
    takenTopic(turn, ask) ??
    fronted(turn, ask) ??
    withoutDenied(turn, replyIn(turn))
  );
}

function replyIn(turn: Turn): Reply {
  const isSame = isExampleAlone(turn);
  const worked = skillReply(turn, turn.whole);
  if (worked && !(isSame && worked.isNothing)) return worked.isNothing ? (meantSurely(turn) ?? worked) : worked;
  const goodbye = isSame ? undefined : goodbyeReply(turn);
  if (goodbye) return goodbye;
  const reply = exampleOf(turn) ?? (isSame ? undefined : hungOn(turn)) ?? answer(turn) ?? unanswered(turn);
  return withAllergyAdvice(turn, withoutAvoided(turn, withoutRepeat(turn, reply)));
}

/** What follows up the last answer, or what is surely meant, where nothing is found that the user told. */
function meantSurely(turn: Turn): Reply | undefined {
  const { knowledge, whole } = turn;
  const best = knowledge.intents.best(whole.terms);
  const isIntent =
    best !== undefined && best.score >= SURE && knowledge.isIntent(best.rule) && !whole.terms.shape?.isOwn;
  return followUp(turn) ?? followEarlier(turn) ?? (isIntent ? turn.replyFrom(best.rule) : undefined);
}

/** What is said to a request that goes on with what was told. */
function hungOn(turn: Turn): Reply | undefined {
  const again = onThingAgain(turn);
  if (again?.isAnswered) return again;
  const followed = followUp(turn) ?? followEarlier(turn);
  if (followed) return followed;
  return asksOfThing(turn) ? undefined : (aboutLast(turn) ?? stepAfter(turn) ?? detailOf(turn) ?? again);
}

/** Whether a request surely asks something of a thing that it names: no part of the last answer is meant. */
function asksOfThing(turn: Turn): boolean {
  const { knowledge, whole } = turn;
  if (!whole.asks || !knowledge.things?.namesIn(whole.words).length) return false;
  const asked = onThing(turn, whole, knowledge.intents.best(whole.terms));
  return asked?.reply.isAnswered === true && asked.score >= SURE;
}

function unanswered(turn: Turn): Reply {
  const reply =
    knownOf(turn) ??
    namedAgain(turn) ??
    unknownReason(turn) ??
    unknownOfThing(turn) ??
    namedTopic(turn) ??
    unknown(turn);
  return reply.isAnswered ? reply : greeted(turn, reply);
}

/** An honest answer that greets who greets. */
function greeted({ knowledge, said, request }: Turn, reply: Reply): Reply {
  const [first] = sentencesOf(request, knowledge.terms, said.avatar.name);
  const isGreeting = first && withoutGreeting(first, knowledge.terms, said.avatar.name) !== first;
  const [text] = isGreeting ? knowledge.replies('greeted') : [];
  return text ? { ...reply, answer: text.replace('{text}', () => reply.answer) } : reply;
}

/** The answer to the sentence that asks most. */
function answer(turn: Turn): Reply | undefined {
  const { terms } = turn.knowledge;
  const candidates: Candidate[] = [];
  const asides = new Set<Sentence>();
  const add = (sentence: Sentence): boolean => {
    const candidate = candidateFor(turn, sentence);
    if (candidate) candidates.push({ ...candidate, asked: sentence.asks });
    if (candidate?.isAside) asides.add(sentence);
    return candidate !== undefined && !candidate.isAside;
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
  // "I'm Harold. My wife died in March."
  const isBeside = (one: Candidate) =>
    one.isInterjection === true ||
    one.isAside === true ||
    (isMore && one.isExclamation === true) ||
    (sentences.length > 1 && one.isName === true);
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
      ...(asides.has(sentence) ? partsBesides(turn, sentence) : []),
    ]);
    for (const rest of rests) if (isMissing()) add(rest);
  }
  // "The rain has stopped, we go for our walk. Goodbye!"
  const closing = candidates.filter(({ closes }) => closes).sort((one, other) => other.closes! - one.closes!)[0];
  const least = closing?.closes ?? 0;
  if (isMissing()) {
    // "I've only quark and beets what can I cook", of which nothing is known.
    if (left.some((one) => one.asksFor)) return turn.builtInReply('no_advice', false);
    // Thanks for nothing, where a question is left.
    if (left.length > 0 && sentences.length > 1 && isAsked) return undefined;
    // "Hi Ada, went for a walk on the beach."
    const isLong = (one: Sentence) => one.words.length > LONG_GREETING && contentOf(one.terms).length > 1;
    const told = left.length > 0 ? left : sentences.filter(isLong);
    const heard = told.flatMap((sentence) => acknowledgement(turn, sentence, least) ?? []);
    if (
      !closing &&
      heard.length === 0 &&
      !candidates.some(({ isAside }) => isAside) &&
      told.some((one) => one.terms.shape?.tells && isLong(one))
    )
      return undefined;
    candidates.push(...heard);
  } else if (closing && !candidates.some(({ weighs, closes }) => weighs && !closes)) return closing.reply();
  const rank = (one: Candidate) => (isBeside(one) ? one.value - INTERJECTION_COST : one.value);
  const [best] = candidates.sort((one, other) => rank(other) - rank(one));
  // Small talk is no answer to what is asked beside it.
  const isLeft =
    isAsked ||
    (sentences.length === 1 && clausesOf(turn.whole, terms, name).some((one) => asksForSomething(turn, one)));
  if (best && isLeft && !best.asked && isBeside(best)) return undefined;
  // A reaction to what is told does not answer the question behind it: "My sister had a baby. What do I bring?"
  return best?.isReaction && sentences.length > 1 && isAsked ? undefined : best?.reply();
}

/** "Thanks" before what is not understood. */
function isInterjectionAlone({ knowledge }: Turn, { terms }: Sentence): boolean {
  const best = knowledge.intents.best(terms);
  const isGreeting = best !== undefined && GREETINGS.has(best.rule.id);
  return best !== undefined && best.score >= SURE && isInterjection(best.rule) && !isReply(best.rule) && !isGreeting;
}

/** Not the beginning of "is it true that …", which alone would agree. */
function asksForSomething({ knowledge }: Turn, { asks, terms }: Sentence): boolean {
  const best = knowledge.intents.best(terms);
  const says = contentOf(terms).length > 0 || (best !== undefined && best.score >= SURE);
  return asks && says && !['yes', 'no'].includes(best?.rule.id ?? '');
}

function isLongQuestion({ asks, words }: Sentence): boolean {
  return asks && words.length >= LEAST_ASKED && words.slice(0, 2).some(({ text }) => QUESTION_WORDS.has(text));
}
