import { acknowledgement } from './script.acknowledge.js';
import { afterCrisis } from './script.aftercare.js';
import { withoutAvoided } from './script.avoid.js';
import { Reply, Said } from './script.choose.js';
import { Candidate, candidateFor, EXCLAIMED } from './script.candidates.js';
import { CompiledScript } from './script.compiled.js';
import { corrected, withoutDenied } from './script.correct.js';
import { urgent } from './script.danger.js';
import { detailOf } from './script.detail.js';
import { unknown, wants } from './script.fallback.js';
import { followUp } from './script.follow.js';
import { isInterjection, isReply } from './script.interjections.js';
import { followEarlier } from './script.open.js';
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
import { stepAfter } from './script.steps.js';
import { aboutLast, knownOf, unknownReason } from './script.subject.js';
import { contentOf } from './script.terms.js';
import { onThingAgain } from './script.things.talk.js';
import { unknownOfThing } from './script.things.unknown.js';
import { SURE } from './script.thresholds.js';
import { Turn } from './script.turn.js';
import { skillReply } from './skills/skills.js';

const GREETINGS = new Set(['greeting', 'good_morning']);

/** A greeting, or thanks, of more words says something else too. */
const LONG_GREETING = 5;
/** What an interjection counts less where something else is said too. */
const INTERJECTION = 2;
/** A question of so many words asks for something, though each of them says little: "what did we get out of it?". */
const LEAST_ASKED = 4;

/** The answer of a script that says honestly what it does not know. */
export function converse(said: Said, script: CompiledScript, others: readonly CompiledScript[], now: number): Reply {
  const turn = new Turn(said, script, others, now);
  const ask = (request: string) => replyIn(new Turn({ ...said, request }, script, others, now));
  return urgent(turn) ?? afterCrisis(turn) ?? corrected(turn, ask) ?? withoutDenied(turn, replyIn(turn));
}

function replyIn(turn: Turn): Reply {
  return skillReply(turn, turn.whole) ?? withoutAvoided(turn, hungOn(turn) ?? answer(turn) ?? unanswered(turn));
}

/** What is said to a request that goes on with what was told. */
function hungOn(turn: Turn): Reply | undefined {
  const again = onThingAgain(turn);
  if (again?.isAnswered) return again;
  return followUp(turn) ?? followEarlier(turn) ?? aboutLast(turn) ?? stepAfter(turn) ?? detailOf(turn) ?? again;
}

function unanswered(turn: Turn): Reply {
  return knownOf(turn) ?? unknownReason(turn) ?? unknownOfThing(turn) ?? unknown(turn);
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
  // "I'm Harold. My wife died in March."
  const isBeside = (one: Candidate) =>
    one.isInterjection === true ||
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
    ]);
    for (const rest of rests) if (isMissing()) add(rest);
  }
  // "The rain has stopped, we go for our walk. Goodbye!"
  const closing = candidates.find(({ closes }) => closes);
  const least = closing?.closes ?? 0;
  if (isMissing()) {
    // Thanks for nothing, where a question is left.
    if (left.length > 0 && sentences.length > 1 && isAsked) return undefined;
    // "Hi Ada, went for a walk on the beach."
    const isLong = (one: Sentence) => one.words.length > LONG_GREETING && contentOf(one.terms).length > 1;
    const told = left.length > 0 ? left : sentences.filter(isLong);
    const heard = told.flatMap((sentence) => acknowledgement(turn, sentence, least) ?? []);
    if (!closing && heard.length === 0 && told.some((one) => one.terms.shape?.tells && isLong(one))) return undefined;
    candidates.push(...heard);
  } else if (closing && !candidates.some(({ weighs, closes }) => weighs && !closes)) return closing.reply();
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
