import { amountIn, LENGTHS } from '../context/amounts.js';
import { Reply } from '../turn/choose.js';
import { continued } from '../context/continuation.js';
import { IntentMatch } from '../match/intent-index.js';
import { Sentence, sentencesOf } from '../text/sentences.js';
import { knownOf } from '../context/subject.js';
import { contentOf } from '../text/terms.js';
import { Asked, askedOfNamed, askedOfPair, askedOfPointed, unmetBy } from './asked.js';
import { LastThing, lastThing, moreOfThing, namesOfSubject, nextOf, pointsToThing } from '../context/last-thing.js';
import { ABOUT, ThingBook } from '../match/thing-book.js';
import { Naming } from '../match/naming.js';
import { notKnown } from './unknown.js';
import { CAREFUL_THRESHOLD, MORE_THAN_OF_THING, NEARLY_AS_WELL, SURE, THRESHOLD } from '../match/scores.js';
import { Turn } from '../turn/turn.js';

/** What is said of a thing, and how well it fits. */
export interface ThingReply {
  readonly score: number;
  readonly reply: Reply;
}

/** What is said to a sentence that names a thing, or points back to one. */
export function onThing(turn: Turn, sentence: Sentence, best?: IntentMatch): ThingReply | undefined {
  const book = turn.knowledge.things;
  if (!book || sentence.terms.shape?.tells) return undefined;
  const names = book.namesAskedIn(sentence);
  const asked = askedIn(turn, book, sentence, names);
  if (!asked || isOther(asked, names, best) || saysMore(sentence, asked, best)) return undefined;
  if (asked.isBare && continued(turn, sentence, THRESHOLD, best)) return undefined;
  const reply = told(turn, asked);
  if (reply) return { score: asked.score, reply };
  if (asked.question === ABOUT) return undefined;
  // An intent may say more, or what was said before it, where the thing has nothing.
  const isIntent = best && best.score >= CAREFUL_THRESHOLD && (names.length > 0 || best.score >= asked.score);
  if (isIntent || (names.length === 0 && !lastThing(turn, book)?.told)) return undefined;
  const more = continued(turn, sentence, THRESHOLD, best);
  // What names no thing and says more than is asked of things may be about anything.
  const isOnIt = names.length > 0 || (asked.points && !asked.unmet);
  const other = more ? turn.replyFrom(more) : (knownOf(turn) ?? (isOnIt ? notKnown(turn, book, asked) : undefined));
  return other && { score: asked.score, reply: other };
}

/** What is said to a request that goes on about the thing that the last answer was about. */
export function onThingAgain(turn: Turn): Reply | undefined {
  const book = turn.knowledge.things;
  if (!book || turn.said.history.length === 0) return undefined;
  const { knowledge, whole } = turn;
  const last = lastThing(turn, book);
  if (!last || sentencesOf(turn.request, knowledge.terms).length > 1) return undefined;
  const isMore = knowledge.set('more').best(whole.words, whole.text) && contentOf(whole.terms).length === 0;
  if (last.told && isMore && !whole.terms.shape?.addresses)
    return moreOfThing(turn) ?? turn.builtInReply('no_more', false);
  if (book.namesAskedIn(whole).length > 0) return undefined;
  const best = knowledge.intents.best(whole.terms);
  if (last.told) {
    // "How long for?" asks for what the last answer says, if it says so.
    const isVague = contentOf(whole.terms).length === 0 && !pointsToThing(turn, whole);
    const known = isVague ? amount(turn, last) : undefined;
    const reply = known ?? onThing(turn, whole, best)?.reply;
    return reply?.isAnswered ? reply : (amount(turn, last) ?? reply);
  }
  // "When?" asks for what was told last.
  const isBare = contentOf(whole.terms).length === 0 && !pointsToThing(turn, whole);
  if (isBare && turn.pointAfter(turn.said.history.at(-1)!.answer)) return undefined;
  const asked = askedIn(turn, book, whole, []);
  const least = asked?.points && !asked.unmet ? THRESHOLD : CAREFUL_THRESHOLD;
  return asked && asked.score >= least && !isOther(asked, [], best) ? told(turn, asked) : undefined;
}

function askedIn(turn: Turn, book: ThingBook, sentence: Sentence, names: readonly Naming[]): Asked | undefined {
  const pointed =
    names.length === 0 || pointsToThing(turn, sentence) || isAskedOfLast(turn, book, names)
      ? askedOfPointed(turn, book, sentence)
      : undefined;
  if (names.length === 0) return pointed;
  // "Would it attack my cat?" is not about cats if something was talked about before.
  const isPointed = namesOfSubject(turn, book, sentence).length === 0;
  if (isPointed && (pointed || lastThing(turn, book))) return pointed;
  const named = askedOfPair(turn, book, sentence, names) ?? askedOfNamed(turn, book, sentence, names);
  if (
    pointed &&
    !named?.isBare &&
    !named?.isCertain &&
    pointed.score >= CAREFUL_THRESHOLD &&
    pointed.score > (named?.score ?? 0)
  )
    return pointed;
  // "How many sharks do they eat?" is about sharks only for sure.
  const isUnsure = named && named.score < SURE && pointsToThing(turn, sentence) && lastThing(turn, book);
  return isUnsure ? pointed : named;
}

/** Whether the name of a thing stands in what may be asked of the one that was told of: `cuántas lunas`. */
function isAskedOfLast(turn: Turn, book: ThingBook, names: readonly Naming[]): boolean {
  const last = lastThing(turn, book);
  const stems = names.flatMap(({ things }) => things[0]!.names.flatMap((name) => book.stemsOf(name)));
  return last?.told !== undefined && stems.some((stem) => book.isAskedOf(last.things[0]!.kind, stem));
}

/** Whether an intent has words of a sentence that the question has not. */
function saysMore({ terms }: Sentence, { unmet = 0 }: Asked, best?: IntentMatch): boolean {
  return unmet > 0 && best !== undefined && best.score >= MORE_THAN_OF_THING && unmetBy(best, terms) < unmet;
}

/** Whether a sentence means an intent rather than what is asked of a thing. */
function isOther(
  { thing, question, score, isCertain, points, unmet = 0 }: Asked,
  names: readonly Naming[],
  best?: IntentMatch,
): boolean {
  if (!best || isCertain) return false;
  // By `it` an intent may mean anything.
  const isMeantByIt = points && names.length === 0 && thing.says[question] !== undefined && unmet === 0;
  if (isMeantByIt && best.score < SURE) return false;
  // "Can I make it ahead?" names nothing that an intent could be about.
  if (isMeantByIt && best.topics.length === 0 && score >= CAREFUL_THRESHOLD) return false;
  return best.score > score
    ? best.score >= THRESHOLD
    : best.score >= SURE && names.length > 0 && best.score > score - NEARLY_AS_WELL;
}

/** The sentence of the last answer that says how long or how much. */
function amount(turn: Turn, { things, told: question }: LastThing): Reply | undefined {
  if (LENGTHS.has(turn.whole.terms.shape?.kind ?? '')) return undefined;
  const { says } = things[0]!;
  const texts = [says[question!], says[ABOUT]].filter((text) => text !== undefined);
  const text = amountIn(turn, turn.whole, texts);
  return text === undefined ? undefined : { id: `${things[0]!.kind}.${question}`, answer: text, isAnswered: true };
}

function told(turn: Turn, { thing, other, question }: Asked): Reply | undefined {
  const text = thing.says[question];
  if (text === undefined) return undefined;
  if (question === ABOUT && turn.said.history.some(({ answer }) => answer === text)) return nextOf(turn, thing);
  const both = other ? `${text} ${other.says[question]}` : text;
  return { id: `${thing.kind}.${question}`, answer: both, isAnswered: true };
}
