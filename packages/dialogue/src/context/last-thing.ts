import { isInterjection } from '../match/interjections.js';
import { Reply } from '../turn/choose.js';
import { ScriptThing } from '../format/script-file.js';
import { Rule } from '../match/rules.js';
import { Sentence } from '../text/sentences.js';
import { contentOf, TermWeights } from '../text/terms.js';
import { ABOUT, questionOf, ThingBook } from '../match/thing-book.js';
import { NAME, Naming, withoutNames } from '../match/naming.js';
import { pointingIn } from './pointing.js';
import { answersOf } from '../match/answer-sentences.js';
import { isMeant, THRESHOLD } from '../match/scores.js';
import { Turn } from '../turn/turn.js';
import { rewritten, Word, wordsOf } from '../text/words.js';

/** How far back a thing may have been named. */
const TURNS = 6;
const MOST_WORDS = 60;
const MOST_POINTING_WORDS = 12;
/** What a few words that ask for nothing may say: `thanks`. */
const MOST_ASIDE = 1;
/** What an answer is about stands among its first words. */
const MOST_BEFORE = 5;
/** A part of a text is told where only one of its sentences answers. */
const LEAST_PART = 12;
const SENTENCE_END = /[.!?…]/u;

/** The thing that was talked about last. */
export interface LastThing {
  /** More than one if the name that was said is that of several. */
  readonly things: readonly ScriptThing[];
  /** How the user called it. */
  readonly name?: string;
  /** The question that the last answer is the answer to, if it is a thing's. */
  readonly told?: string;
  /** Whether only an answer named it. */
  readonly isMentioned?: boolean;
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
  const { knowledge, said } = turn;
  const wordsIn = (text: string) => rewritten(wordsOf(text, MOST_WORDS), knowledge.terms.rewrites);
  const answers: string[] = [];
  /** Of those, what must be about the thing, for it answered what may be about anything. */
  const fitting: string[] = [];
  const latest = said.history.slice(-TURNS).toReversed();
  for (const [index, { request, answer }] of latest.entries()) {
    answers.push(answer);
    const text = knowledge.terms.readable(request);
    const words = wordsIn(text);
    const named = namesOfSubject(turn, book, { words, asks: true, text: request });
    const last = named.length > 0 ? lastOf(book, named, { words, text }, answers, fitting) : undefined;
    // "How many moons does it have?" is about what was talked about before if the answer was.
    // "My orchid lost all its flowers" names it itself.
    const isNamed = !knowledge.terms.asks(words) || !pointsToThing(turn, { words, text: request });
    if (named.length > 0 && (last?.told || (isNamed && !goesOn(turn, index))))
      return last && behindWhole(turn, book, last, latest.slice(index + 1));
    const topic = turn.pointAfter(answer)?.topic;
    const isIntent = topic && knowledge.isIntent(topic) && !isInterjection(topic);
    const told = isIntent && index === 0 ? distinct(book.namesIn(wordsIn(answer.split(SENTENCE_END)[0]!))) : [];
    if (told.length === 1 && told[0]!.at < MOST_BEFORE) return { things: told[0]!.things, isMentioned: true };
    if (goesOn(turn, index) || !changesSubject(turn, words, request)) continue;
    if (isIntent) return undefined;
    if (!(topic && isInterjection(topic))) fitting.push(answer);
  }
  return undefined;
}

/** A thing behind what it is a part of, if that was named before: mince behind lasagne, unless it was asked what it is. */
function behindWhole(
  { knowledge }: Turn,
  book: ThingBook,
  last: LastThing,
  earlier: readonly { readonly request: string }[],
): LastThing {
  const whole = book.partOf[last.things[0]!.kind];
  if (whole === undefined || last.told === ABOUT) return last;
  for (const { request } of earlier) {
    const text = knowledge.terms.readable(request);
    const words = rewritten(wordsOf(text, MOST_WORDS), knowledge.terms.rewrites);
    for (const naming of distinct(book.namesIn(words)).toReversed()) {
      const thing = naming.things.find(({ kind }) => kind === whole);
      if (thing) return { ...last, things: [thing, ...last.things], name: book.nameOf(thing, words, naming, text) };
    }
  }
  return last;
}

/** Whether the answer to a turn, the last being 0, is what was told before it once more, or a sentence of that. */
function goesOn(turn: Turn, index: number): boolean {
  const { said, knowledge } = turn;
  const [before, now] = said.history.slice(-2 - index).map(({ answer }) => answer);
  if (before === undefined || now === undefined || said.history.length < 2 + index) return false;
  const topic = turn.pointAfter(now)?.topic;
  if (topic === undefined || !knowledge.isIntent(topic)) {
    // A sentence of a later step goes on too.
    const rule = turn.pointAfter(before)?.topic;
    return before.includes(now) || (rule !== undefined && answersOf(rule).some((text) => text.includes(now)));
  }
  return before.includes(now) || turn.pointAfter(before)?.topic === topic || isOnSame(turn, topic, index);
}

/** Whether what an intent is about was named in the request before one that does not name it. */
function isOnSame({ knowledge, requests }: Turn, topic: Rule, index: number): boolean {
  const [now, before] = requests.slice(index, index + 2);
  const topics = knowledge.passages.topicsOf(topic);
  return before !== undefined && [...topics].some((term) => before.terms.has(term) && !now!.terms.has(term));
}

function lastOf(
  book: ThingBook,
  named: readonly Naming[],
  { words, text }: Pick<Sentence, 'words' | 'text'>,
  answers: readonly string[],
  fitting: readonly string[],
): LastThing | undefined {
  const said = (thing: ScriptThing) => (text: string) => idOf([thing], text) !== undefined;
  const things = named
    .flatMap((naming) => naming.things)
    .filter((thing) => fitting.every(said(thing)) && (named.length === 1 || answers.some(said(thing))));
  if (things.length === 0) return undefined;
  const told = idOf(things, answers[0]!);
  const naming = named.find((one) => one.things.includes(things[0]!));
  return {
    things: told ? things.filter((thing) => idOf([thing], answers[0]!) === told) : things,
    name: book.nameOf(things[0]!, words, naming!, text),
    told,
  };
}

/** The question that a text is the answer to. */
function idOf(things: readonly ScriptThing[], text: string): string | undefined {
  for (const { says } of things)
    for (const id in says) if (says[id] === text || (text.length >= LEAST_PART && says[id]!.includes(text))) return id;
  return undefined;
}

/** Whether an earlier request may be about something else: it names something, and does not point back. */
function changesSubject({ knowledge }: Turn, words: readonly Word[], text: string): boolean {
  const terms = knowledge.terms.ofWords(words);
  const content = contentOf(terms).length;
  return (
    content > (terms.shape?.asks ? 0 : MOST_ASIDE) &&
    !knowledge.set('continue').best(words, text) &&
    !(content <= MOST_ASIDE && knowledge.set('more').best(words, text)) &&
    !pointingIn(knowledge, { words, text })
  );
}

/** The things that a sentence names, each once, but not behind `it`, which it is about then: "would it attack my cat?". */
export function namesOfSubject(
  { knowledge }: Turn,
  book: ThingBook,
  { words, text, asks }: Pick<Sentence, 'words' | 'text' | 'asks'>,
): Naming[] {
  const names = distinct(book.namesAskedIn({ words, asks }));
  const pointing = names.length > 0 ? pointingIn(knowledge, { words, text }) : undefined;
  if (!pointing) return names;
  // "Wie ist es mit Ameisen?"
  const opening = Math.floor(knowledge.set('continue').best(words, text)?.weight ?? 0);
  return names.filter(({ at }) => at < pointing.at || pointing.at < opening);
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

/** The terms of the latest request that says what is asked of a thing of that kind. */
export function previous(
  { requests, knowledge }: Turn,
  book: ThingBook,
  { kind }: ScriptThing,
): TermWeights | undefined {
  for (const { words, terms, asks } of requests) {
    const names = book.namesIn(words).filter(({ things }) => things.some((thing) => thing.kind === kind));
    if (names.length > 0) return knowledge.terms.ofWords(withoutNames(words, names), asks);
    if (asks && contentOf(terms).some((term) => book.isAskedOf(kind, term)))
      return knowledge.terms.ofWords(withNameForPronouns(words), true);
  }
  return undefined;
}

/** Words that point back to a thing, in any language; articles too, which say nothing else where a name is missing. */
const POINTING = new Set(
  (
    'he his him she her hers it its they them their theirs this that these those one ones ' +
    'sie er es ihn ihm ihnen ihr ihre ihren ihrer ihrem sein seine seinen das die der den dem denen diese dieser dieses diesen davon damit daran dazu dabei darin dafur ' +
    'lo la los las le les su sus el ella ellos ellas eso esto esa ese esos esas este esta estos estas'
  ).split(' '),
);

/** Words with the name of a thing instead of `it`, or at their end. */
export function withNameForPronouns(words: readonly Word[]): Word[] {
  const at = words.findIndex(({ text }) => POINTING.has(text));
  const place = words[Math.max(0, at)]!;
  const name = { ...place, text: NAME };
  const rest = words.map((word, index) => (index === at ? name : word)).filter(({ text }) => !POINTING.has(text));
  return at < 0 ? [...rest, name] : rest;
}

/** What was not told yet of the thing that was talked about last. */
export function moreOfThing(turn: Turn): Reply | undefined {
  const book = turn.knowledge.things;
  const last = book && lastThing(turn, book);
  return last && nextOf(turn, last.things[0]!);
}

/** What was not told of a thing yet. */
export function nextOf({ said }: Turn, thing: ScriptThing): Reply | undefined {
  const before = new Set(said.history.map(({ answer }) => answer));
  const fresh = Object.entries(thing.says).find(([, text]) => !before.has(text));
  return fresh && { id: `${thing.kind}.${fresh[0]}`, answer: fresh[1], isAnswered: true };
}

/** Whether a sentence names what it is about by a word such as `it`. */
export function pointsToThing({ knowledge }: Turn, { words, text }: Pick<Sentence, 'words' | 'text'>): boolean {
  return words.length <= MOST_POINTING_WORDS && pointingIn(knowledge, { words, text }) !== undefined;
}
