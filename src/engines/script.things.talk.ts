import { amountIn } from './script.amounts.js';
import { Reply } from './script.choose.js';
import { ScriptThing } from './script.format.js';
import { IntentMatch } from './script.intents.js';
import { OPENERS } from './script.openers.js';
import { Sentence, sentencesOf } from './script.sentences.js';
import { knownOf } from './script.subject.js';
import { contentOf, TermWeights } from './script.terms.js';
import {
  distinct,
  LastThing,
  lastQuestion,
  lastThing,
  pointsBack,
  previous,
  thingBefore,
} from './script.things.context.js';
import { ABOUT, NAME, Naming, questionOf, ThingBook, withoutNames } from './script.things.js';
import { notKnown } from './script.things.unknown.js';
import { CAREFUL_THRESHOLD, isMeant, MARGIN, SURE, THRESHOLD } from './script.thresholds.js';
import { Turn } from './script.turn.js';
import { Word } from './script.words.js';

/** What is said of a thing, and how well it fits. */
export interface ThingReply {
  readonly score: number;
  readonly reply: Reply;
}

/** A question on a thing, as far as it is understood. */
interface Asked {
  readonly thing: ScriptThing;
  readonly question: string;
  readonly score: number;
  /** How the user calls it. */
  readonly name?: string;
}

const MOST_THINGS = 3;
const MOST_BARE_WORDS = 7;
const MOST_ELLIPTICAL_WORDS = 6;
const MOST_ELLIPTICAL_CONTENT = 2;
const BARE = 0.7;

/** Words that point back to a thing, in any language; articles too, which say nothing else where a name is missing. */
const POINTING = new Set(
  (
    'it its they them their theirs this that these those one ones ' +
    'sie er es ihn ihm ihnen ihr ihre ihren ihrer ihrem sein seine seinen das die der den dem denen diese dieser dieses diesen davon damit daran dazu dabei darin dafur ' +
    'lo la los las le les su sus el ella ellos ellas eso esto esa ese esos esas este esta estos estas'
  ).split(' '),
);

/** What is said to a sentence that names a thing, or points back to one. */
export function onThing(turn: Turn, sentence: Sentence, best?: IntentMatch): ThingReply | undefined {
  const book = turn.talk.things;
  if (!book || sentence.terms.shape?.tells) return undefined;
  const names = book.namesAskedIn(sentence);
  const asked = names.length > 0 ? named(turn, book, sentence, names) : pointed(turn, book, sentence);
  const isSure = best !== undefined && best.score >= SURE && (names.length > 0 || best.score > (asked?.score ?? 0));
  if (!asked || isSure || (best && best.score > asked.score && best.score >= THRESHOLD)) return undefined;
  const reply = told(turn, asked);
  if (reply) return { score: asked.score, reply };
  if (asked.question === ABOUT || (best && best.score >= CAREFUL_THRESHOLD)) return undefined;
  const other = knownOf(turn) ?? notKnown(turn, book, asked);
  return other && { score: asked.score, reply: other };
}

/** What is said to a request that goes on about the thing that the last answer was about. */
export function onThingAgain(turn: Turn): Reply | undefined {
  const book = turn.talk.things;
  if (!book || turn.said.history.length === 0) return undefined;
  const { talk, whole } = turn;
  const last = lastThing(turn, book);
  if (!last?.told || sentencesOf(turn.request, talk.terms).length > 1) return undefined;
  const hasContent = contentOf(whole.terms).length > 0;
  if (!hasContent && !whole.terms.shape?.addresses && talk.set('more').best(whole.words, whole.text)) {
    const reply = next(turn, last.things[0]!);
    return reply ?? turn.own('no_more', false);
  }
  if (book.namesAskedIn(whole).length > 0) return undefined;
  return onThing(turn, whole, talk.intents.best(whole.terms))?.reply ?? amount(turn, last);
}

/** The question on a thing that is named; on several it must be about one for sure. */
function named(turn: Turn, book: ThingBook, sentence: Sentence, names: readonly Naming[]): Asked | undefined {
  const { talk } = turn;
  const each = distinct(names);
  if (each.length > MOST_THINGS) return undefined;
  const matches = each.flatMap((naming) => {
    const words = withoutNames(
      sentence.words,
      names.filter(({ things }) => things[0] === naming.things[0]),
    );
    const terms = talk.terms.ofWords(words, sentence.asks);
    return naming.things.map((thing) => ({
      thing,
      terms,
      words,
      naming,
      match: book.question(thing.kind, terms),
      name: book.nameOf(thing, sentence.words, naming),
    }));
  });
  const [first, second] = matches.sort((a, b) => (b.match?.score ?? 0) - (a.match?.score ?? 0));
  if (!first) return undefined;
  const { thing, terms, words, match, name } = first;
  if (each.length > 1) {
    const isClear = match && match.score >= SURE && match.score - (second?.match?.score ?? 0) >= MARGIN;
    return isClear ? { thing, question: questionOf(match), score: match.score, name } : undefined;
  }
  const isAlone = contentOf(terms).length === 1;
  if (isAlone && goesOn(turn, words)) {
    const question = lastQuestion(turn, book);
    const other = question === undefined ? undefined : first.naming.things.find((one) => knows(book, one, question));
    if (other) return { thing: other, question: question!, score: BARE, name };
  }
  const question = match && questionOf(match);
  const least = sentence.asks ? (question === ABOUT && !isAlone ? SURE : THRESHOLD) : CAREFUL_THRESHOLD;
  if (match && isMeant(match, least)) return { thing, question: question!, score: match.score, name };
  const { kind, addresses, isNegated } = terms.shape ?? {};
  const isAbout = talk.set(ABOUT).best(sentence.words, sentence.text) !== undefined;
  return isAlone && !isNegated && (isAbout || (!kind && !addresses && words.length <= MOST_BARE_WORDS))
    ? { thing, question: ABOUT, score: BARE, name }
    : undefined;
}

/** The question on the thing that was talked about last, if a sentence points back to it or says too little without. */
function pointed(turn: Turn, book: ThingBook, sentence: Sentence): Asked | undefined {
  const { talk, said } = turn;
  if (!sentence.asks || (said.history.length === 0 && !sentence.before)) return undefined;
  const points = pointsBack(turn, sentence);
  if (!points && !isElliptical(sentence)) return undefined;
  const last = thingBefore(sentence, book) ?? lastThing(turn, book);
  if (!last) return undefined;
  const { words } = sentence;
  const terms = talk.terms.ofWords(withNameForPronouns(words), true);
  const content = contentOf(terms).filter((term) => term !== NAME);
  const isVague = content.length === 0 && terms.shape?.kind === undefined;
  const least = isVague ? SURE : points && content.length > 0 ? THRESHOLD : CAREFUL_THRESHOLD;
  if (isVague && !points) return undefined;
  for (const thing of last.things) {
    if (!points && !content.every((term) => book.isAskedOf(thing.kind, term))) continue;
    const match = book.question(thing.kind, terms);
    const earlier = isVague || content.length > 1 ? undefined : previous(turn, book, thing);
    const both = earlier && book.question(thing.kind, withQuestion(terms, earlier));
    const isOther = both && questionOf(both) !== last.told;
    if (isOther && isMeant(both, THRESHOLD) && both.score > (match?.score ?? 0))
      return { thing, question: questionOf(both), score: both.score };
    if (match && isMeant(match, least) && (content.length > 0 || questionOf(match) !== last.told))
      return { thing, question: questionOf(match), score: match.score };
  }
  return undefined;
}

/** Whether words besides a name say but that it goes on: `what about {thing}`, `and the {thing}`. */
function goesOn({ talk, said }: Turn, words: readonly Word[]): boolean {
  if (said.history.length === 0) return false;
  const from = words.findIndex(({ text }) => !OPENERS.has(text));
  const rest = words.slice(from);
  const weight = talk.set('continue').best(rest, '')?.weight ?? 0;
  const left = rest.length - Math.floor(weight) - 1;
  return left <= 1 && (from > 0 || weight > 0);
}

/** A short question with what the question before it was about. */
function withQuestion(terms: TermWeights, before: TermWeights): TermWeights {
  const both = new Map([...contentOf(before).map((term) => [term, 1] as const), ...terms]);
  const shape = terms.shape && {
    ...terms.shape,
    kind: terms.shape.kind ?? before.shape?.kind,
    asks: true,
    tells: false,
  };
  return Object.assign(both, { shape });
}

/** The sentence of the last answer that says how long or how much. */
function amount(turn: Turn, { things, told: question }: LastThing): Reply | undefined {
  const text = amountIn(turn.whole, [things[0]!.says[question!]!]);
  return text === undefined ? undefined : { id: `${things[0]!.kind}.${question}`, answer: text, isAnswered: true };
}

function isElliptical({ words, terms }: Sentence): boolean {
  return (
    words.length <= MOST_ELLIPTICAL_WORDS &&
    !terms.shape?.addresses &&
    contentOf(terms).length <= MOST_ELLIPTICAL_CONTENT
  );
}

/** Words with the name of a thing instead of `it`, or at their end. */
function withNameForPronouns(words: readonly Word[]): Word[] {
  const at = words.findIndex(({ text }) => POINTING.has(text));
  const place = words[Math.max(0, at)]!;
  const name = { ...place, text: NAME };
  const rest = words.map((word, index) => (index === at ? name : word)).filter(({ text }) => !POINTING.has(text));
  return at < 0 ? [...rest, name] : rest;
}

function told(turn: Turn, { thing, question }: Asked): Reply | undefined {
  const text = thing.says[question];
  if (text === undefined) return undefined;
  if (question === ABOUT && turn.said.history.some(({ answer }) => answer === text)) return next(turn, thing);
  return { id: `${thing.kind}.${question}`, answer: text, isAnswered: true };
}

/** What was not told of a thing yet. */
function next({ said }: Turn, thing: ScriptThing): Reply | undefined {
  const before = new Set(said.history.map(({ answer }) => answer));
  const fresh = Object.entries(thing.says).find(([, text]) => !before.has(text));
  return fresh && { id: `${thing.kind}.${fresh[0]}`, answer: fresh[1], isAnswered: true };
}

function knows(book: ThingBook, { kind }: ScriptThing, question: string): boolean {
  return book.examplesOf(kind, question).length > 0;
}
