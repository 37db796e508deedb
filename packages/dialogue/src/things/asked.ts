import { IntentMatch } from '../match/intent-index.js';
import { ScriptThing } from '../format/script-file.js';
import { OPENERS } from '../text/openers.js';
import { Sentence } from '../text/sentences.js';
import { contentOf, TermWeights } from '../text/terms.js';
import {
  distinct,
  lastQuestion,
  lastThing,
  pointsToThing,
  previous,
  thingBefore,
  withNameForPronouns,
} from '../context/last-thing.js';
import { ABOUT, questionOf, ThingBook } from '../match/thing-book.js';
import { NAME, Naming, withoutNames } from '../match/naming.js';
import { NUMBERS } from '../match/answer-sentences.js';
import {
  CAREFUL_THRESHOLD,
  COMPARED,
  isMeant,
  MARGIN,
  NAMED_ALONE,
  SURE,
  SURELY_OF_THING,
  THRESHOLD,
} from '../match/scores.js';
import { Turn } from '../turn/turn.js';
import { Word } from '../text/words.js';

/** A question on a thing, as far as it is understood. */
export interface Asked {
  readonly thing: ScriptThing;
  /** What it is compared with. */
  readonly other?: ScriptThing;
  readonly question: string;
  readonly score: number;
  /** Whether it means no intent, however well one fits. */
  readonly isCertain?: boolean;
  /** How much a sentence says that the question does not. */
  readonly unmet?: number;
  /** Whether nothing but the name is said. */
  readonly isBare?: boolean;
  /** How the user calls it. */
  readonly name?: string;
  /** Whether it is named by `it`. */
  readonly points?: boolean;
}

const MOST_THINGS = 3;
const MOST_ELLIPTICAL_WORDS = 6;
const MOST_ELLIPTICAL_CONTENT = 2;
/** Words beside a name that stands alone: an article. */
const MOST_OTHERS = 1;

/** Phrases such as `what about`, not `for`. */
const LONG = 2;
/** Before what is added to a thing, in any language: "and with cheese?". */
const WITH = new Set('with without mit ohne statt con sin'.split(' '));
/** Between things that are compared, in any language. */
const COMPARING = new Set('or than and vs versus oder als und o u que y e'.split(' '));
/** Stems of words that say but that something is asked, in any language, and what stands for the name. */
const ASKING = new Set([
  NAME,
  ...'idea know tell wonder curiou question quick ahnung idee frag schnell pregunt cur curios rapid'.split(' '),
]);

/** The question on a thing that is named; on several it must be about one for sure. */
export function askedOfNamed(
  turn: Turn,
  book: ThingBook,
  sentence: Sentence,
  names: readonly Naming[],
): Asked | undefined {
  const { knowledge } = turn;
  const each = distinct(names);
  if (each.length > MOST_THINGS) return undefined;
  const matches = each.flatMap((naming) => {
    const words = withoutNames(
      sentence.words,
      names.filter(({ things }) => things[0] === naming.things[0]),
    );
    const terms = knowledge.terms.ofWords(words, sentence.asks);
    return naming.things.map((thing) => ({
      thing,
      terms,
      words,
      naming,
      match: book.question(thing.kind, terms),
      name: book.nameOf(thing, sentence.words, naming, sentence.text),
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
    if (other)
      return {
        thing: other,
        question: question!,
        score: NAMED_ALONE,
        name,
        isCertain: other.says[question!] !== undefined,
      };
  }
  const question = match && questionOf(match);
  const text = match && thing.says[question!];
  const isStrange = text !== undefined && namesStrange(turn, book, thing.kind, terms, text);
  const least =
    question === ABOUT && sentence.asks && (!isAlone || terms.shape?.addresses)
      ? SURE
      : sentence.asks && !isStrange
        ? THRESHOLD
        : CAREFUL_THRESHOLD;
  if (match && isMeant(match, least))
    return { thing, question: question!, score: match.score, name, unmet: unmetBy(match, terms) };
  const { kind, addresses, isNegated } = terms.shape ?? {};
  const isAbout = knowledge.set(ABOUT).best(sentence.words, sentence.text) !== undefined;
  const others = words.filter(({ text }) => text !== NAME && !OPENERS.has(text)).length;
  return isAlone && !isNegated && (isAbout || (!kind && !addresses && others <= MOST_OTHERS))
    ? { thing, question: ABOUT, score: NAMED_ALONE, name, isBare: true }
    : undefined;
}

/** The question on two things that are compared: `which is heavier, a {thing} or a {thing}`. */
export function askedOfPair(
  { knowledge }: Turn,
  book: ThingBook,
  { words, asks }: Sentence,
  names: readonly Naming[],
): Asked | undefined {
  const [first, second] = names;
  if (!asks || names.length !== 2 || first!.things[0] === second!.things[0]) return undefined;
  if (!words.slice(first!.at + first!.length, second!.at).some(({ text }) => COMPARING.has(text))) return undefined;
  const one = withoutNames(
    [...words.slice(0, first!.at + first!.length), ...words.slice(second!.at + second!.length)],
    [first!],
  );
  const terms = knowledge.terms.ofWords(one, true);
  for (const thing of first!.things) {
    const other = second!.things.find(({ kind }) => kind === thing.kind);
    const match = other && book.question(thing.kind, terms);
    const question = match && questionOf(match);
    if (!match || match.score < COMPARED || question === ABOUT) continue;
    if (thing.says[question!] && other?.says[question!])
      return { thing, other, question: question!, score: match.score };
  }
  return undefined;
}

/** The question on the thing that was talked about last, if a sentence points back to it or says too little without. */
export function askedOfPointed(turn: Turn, book: ThingBook, sentence: Sentence): Asked | undefined {
  const { knowledge, said } = turn;
  if (!sentence.asks || (said.history.length === 0 && !sentence.before)) return undefined;
  const points = pointsToThing(turn, sentence);
  if (!points && !isElliptical(sentence)) return undefined;
  const last = thingBefore(sentence, book) ?? lastThing(turn, book);
  if (!last) return undefined;
  const { words } = sentence;
  const terms = knowledge.terms.ofWords(withNameForPronouns(words), true);
  const content = contentOf(terms).filter((term) => term !== NAME);
  const isVague = content.length === 0 && terms.shape?.kind === undefined;
  const isLoose = (points || last.told !== undefined) && content.length > 0 && !last.isMentioned;
  const least = isVague ? SURE : isLoose ? THRESHOLD : CAREFUL_THRESHOLD;
  if ((isVague && !points) || (last.isMentioned && content.length === 0)) return undefined;
  let unknown: Asked | undefined;
  for (const thing of last.things) {
    if ((!points || last.isMentioned) && !content.every((term) => book.isAskedOf(thing.kind, term))) continue;
    const match = book.question(thing.kind, terms);
    const earlier = isVague || content.length > 1 ? undefined : previous(turn, book, thing);
    const both = earlier && book.question(thing.kind, withQuestion(terms, earlier));
    const isOther = both && questionOf(both) !== last.told && content.every((term) => both.example.has(term));
    const found = isOther && isMeant(both, THRESHOLD) && both.score > (match?.score ?? 0) ? both : match;
    if (!found || (found === match && !isMeant(match, least))) continue;
    // "How many?" asks for more than was told.
    if (questionOf(found) === last.told && content.length === 0 && !nextBest(found, thing, least)) continue;
    if (questionOf(found) === ABOUT && NUMBERS.has(terms.shape?.kind ?? '')) continue;
    const isKnown = thing.says[questionOf(found)] !== undefined && !last.isMentioned;
    const isCertain =
      found.score >= SURELY_OF_THING && (isKnown || (last.told !== undefined && book.hasWords(thing.kind, words)));
    const asked = {
      thing,
      question: questionOf(found),
      score: found.score,
      name: last.name,
      isCertain,
      points,
      unmet: content.filter((term) => !book.isAskedOf(thing.kind, term)).length,
    };
    // Of what the whole has nothing to say, its part may have.
    if (thing.says[asked.question] !== undefined)
      return isTold(turn, asked) ? (nextBest(found, thing, least) ?? asked) : asked;
    unknown ??= asked;
  }
  return unknown;
}

/** The second best question, if the best was answered already: "what goes with it?" is not "what is it?" then. */
function nextBest({ score, second }: IntentMatch, thing: ScriptThing, least: number): Asked | undefined {
  const question = second && questionOf(second);
  return second && second.score >= Math.max(least, score - MARGIN) && thing.says[question!] !== undefined
    ? { thing, question: question!, score: second.score, points: true }
    : undefined;
}

function isTold({ said }: Turn, { thing, question }: Asked): boolean {
  return said.history.some(({ answer }) => answer === thing.says[question]);
}

/** Whether words besides a name say but that it goes on: `what about {thing}`, `and the {thing}`. */
function goesOn({ knowledge, said }: Turn, words: readonly Word[]): boolean {
  if (said.history.length === 0) return false;
  const from = words.findIndex(({ text }) => !OPENERS.has(text));
  const rest = words.slice(from);
  const weight = knowledge.set('continue').best(rest, '')?.weight ?? 0;
  const left = rest.length - Math.floor(weight) - 1;
  return left <= MOST_OTHERS && (from > 0 || weight >= LONG) && !words.some(({ text }) => WITH.has(text));
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

/** How much of what a request says an example does not. */
export function unmetBy({ example }: IntentMatch, terms: TermWeights): number {
  return contentOf(terms).filter((term) => !example.has(term)).length;
}

/** Whether something is named that is neither asked of things of that kind nor said of this one: "how long does a tattoo last on the skin?" */
function namesStrange({ knowledge }: Turn, book: ThingBook, kind: string, terms: TermWeights, text: string): boolean {
  const said = knowledge.terms.of(text);
  return contentOf(terms).some((term) => !ASKING.has(term) && !book.isAskedOf(kind, term) && !said.has(term));
}

function isElliptical({ words, terms }: Sentence): boolean {
  return (
    words.length <= MOST_ELLIPTICAL_WORDS &&
    !terms.shape?.addresses &&
    contentOf(terms).length <= MOST_ELLIPTICAL_CONTENT
  );
}

function knows(book: ThingBook, { kind }: ScriptThing, question: string): boolean {
  return book.examplesOf(kind, question).length > 0;
}
