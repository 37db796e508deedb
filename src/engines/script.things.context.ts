import { isInterjection } from './script.follow.js';
import { ScriptThing } from './script.format.js';
import { Sentence } from './script.sentences.js';
import { contentOf, TermWeights } from './script.terms.js';
import { Naming, questionOf, ThingBook, withoutNames } from './script.things.js';
import { isMeant, THRESHOLD } from './script.thresholds.js';
import { Turn } from './script.turn.js';
import { rewritten, Word, wordsOf } from './script.words.js';

/** How far back a thing may have been named. */
const TURNS = 6;
const MOST_WORDS = 60;
const MOST_POINTING_WORDS = 12;
/** What a few words that ask for nothing may say: `thanks`. */
const MOST_ASIDE = 1;
const SENTENCE_END = /[.!?…]/u;

/** The thing that was talked about last. */
export interface LastThing {
  /** More than one if the name that was said is that of several. */
  readonly things: readonly ScriptThing[];
  /** The question that the last answer is the answer to, if it is a thing's. */
  readonly told?: string;
}

const found = new WeakMap<Turn, LastThing | null>();

/** The thing that was talked about last, if nothing else was since. */
export function lastThing(turn: Turn, book: ThingBook): LastThing | undefined {
  let last = found.get(turn);
  if (last === undefined) {
    last = findLast(turn, book) ?? null;
    found.set(turn, last);
  }
  return last ?? undefined;
}

function findLast(turn: Turn, book: ThingBook): LastThing | undefined {
  const { talk, said } = turn;
  const wordsIn = (text: string) => rewritten(wordsOf(text, MOST_WORDS), talk.terms.rewrites);
  const answers: string[] = [];
  /** Of those, what must be about the thing, for it answered what may be about anything. */
  const fitting: string[] = [];
  for (const [index, { request, answer }] of said.history.slice(-TURNS).toReversed().entries()) {
    answers.push(answer);
    const named = distinct(book.namesIn(wordsIn(talk.terms.readable(request))));
    if (named.length > 0) {
      const said = (thing: ScriptThing) => (text: string) => idOf([thing], text) !== undefined;
      const things = named
        .flatMap((naming) => naming.things)
        .filter((thing) => fitting.every(said(thing)) && (named.length === 1 || answers.some(said(thing))));
      const told = idOf(things, answers[0]!);
      return things.length > 0
        ? { things: told ? things.filter(({ says }) => says[told] === answers[0]) : things, told }
        : undefined;
    }
    const topic = talk.pointAfter(answer)?.topic;
    const isAside = topic && isInterjection(topic);
    if (topic && talk.isIntent(topic) && !isAside) {
      const told = index > 0 ? [] : distinct(book.namesIn(wordsIn(answer.split(SENTENCE_END)[0]!)));
      return told.length === 1 ? { things: told[0]!.things } : undefined;
    }
    if (!isAside && changesSubject(turn, wordsIn(request), request)) fitting.push(answer);
  }
  return undefined;
}

/** The question that a text is the answer to. */
function idOf(things: readonly ScriptThing[], text: string): string | undefined {
  for (const { says } of things) for (const id in says) if (says[id] === text) return id;
  return undefined;
}

/** Whether an earlier request may be about something else: it names something, and does not point back. */
function changesSubject({ talk }: Turn, words: readonly Word[], text: string): boolean {
  const terms = talk.terms.ofWords(words);
  const content = contentOf(terms).length;
  return (
    content > (terms.shape?.asks ? 0 : MOST_ASIDE) &&
    !['continue', 'pointing'].some((name) => talk.set(name).best(words, text) !== undefined)
  );
}

/** Each thing once. */
export function distinct(names: readonly Naming[]): Naming[] {
  return names.filter(({ things }, index) => names.findIndex((other) => other.things[0] === things[0]) === index);
}

/** The thing that is named last in what stands before a sentence in the same request. */
export function thingBefore({ before = [] }: Sentence, book: ThingBook): LastThing | undefined {
  for (const { words } of before.toReversed()) {
    const named = distinct(book.namesIn(words));
    if (named.length > 0) return named.length === 1 ? { things: named[0]!.things } : undefined;
  }
  return undefined;
}

/** The question that was asked last of a thing. */
export function lastQuestion(turn: Turn, book: ThingBook): string | undefined {
  const last = lastThing(turn, book);
  if (!last) return undefined;
  if (last.told !== undefined) return last.told;
  const [thing] = last.things;
  const terms = previous(turn, book, thing!);
  const match = terms && book.question(thing!.kind, terms);
  return match && isMeant(match, THRESHOLD) ? questionOf(match) : undefined;
}

/** The terms of the latest request that named a thing of that kind. */
export function previous({ requests, talk }: Turn, book: ThingBook, { kind }: ScriptThing): TermWeights | undefined {
  for (const { words, asks } of requests) {
    const names = book.namesIn(words).filter(({ things }) => things.some((thing) => thing.kind === kind));
    if (names.length > 0) return talk.terms.ofWords(withoutNames(words, names), asks);
  }
  return undefined;
}

/** Whether a sentence names what it is about by a word such as `it`. */
export function pointsBack({ talk }: Turn, { words, text }: Sentence): boolean {
  return words.length <= MOST_POINTING_WORDS && talk.set('pointing').best(words, text) !== undefined;
}
