import { Reply } from './script.choose.js';
import { Conversation } from './script.conversation.js';
import { Sentence, sentenceOf, sentencesOf } from './script.sentences.js';
import { NEGATIONS } from './script.shape.js';
import { contentOf } from './script.terms.js';
import { Turn } from './script.turn.js';
import { Word } from './script.words.js';

/** What the user puts right: `right` instead of `wrong`, if that is named; `rest` is what is said behind it. */
interface Correction {
  readonly right: readonly Word[];
  readonly wrong: readonly Word[];
  readonly text: string;
  readonly rest: string;
  /** Whether it says nothing but a name: "no, the bread". */
  readonly isBare: boolean;
}

const list = (words: string): ReadonlySet<string> => new Set(words.split(' '));
const phrases = (text: string): readonly (readonly string[])[] => text.split(', ').map((one) => one.split(' '));

/** All of these are in any language. */
const DENIES = list('no nope nah nein ne doch');
const BEFORE = list(
  'no nope nah nein ne doch sorry oh ah hey wait oops entschuldigung ach so quatsch perdon ay uy perdona',
);
const NOT = list('not nicht kein keine keinen');
/** Spanish denies with one word where others have two. */
const NO = 'no';
const INSTEAD = list('but rather instead sondern sino');
/** Say before or behind what is meant that it is. */
const MEANT = phrases(
  'i mean, i meant, i actually meant, i was asking about, i was talking about, i am talking about, i am asking about, ' +
    'ich meine, ich mein, ich meinte, ich habe gemeint, ich rede von, ich spreche von, es geht um, meine ich, mein ich, meinte ich, ' +
    'me referia a, me refiero a, queria decir, quise decir, quiero decir, hablo de, hablaba de, preguntaba por, digo',
);
/** Begin what is no name of what is meant: `I mean it`. */
const VAGUE = list(
  'it that this to so well like something else other really es das was etwas anderes so ernst eso esto otra otro lo que en',
);
/** Say in the middle of a correction that something is. */
const IS = phrases('it was, it is, was, is, das war, es war, das ist, es ist, war, ist, era, fue, es');
const DETERMINERS = list(
  'the a an my your our his her their to of on der die das den dem des ein eine einen einem einer mein meine meinen meinem meiner ' +
    'el la los las un una mi mis tu tus su sus a al de del',
);
const PRONOUNS = list('it that this they them er sie es das der die den eso esto ello');
const PEOPLE = list(
  'mother mum mom father dad sister brother son daughter wife husband partner girlfriend boyfriend friend boss neighbour colleague aunt uncle cousin niece nephew dog cat ' +
    'mutter mama vater papa schwester bruder sohn tochter frau mann partnerin freundin freund chef chefin nachbar nachbarin kollege kollegin tante onkel hund katze ' +
    'madre padre hermana hermano hijo hija mujer marido pareja novio novia amigo amiga jefe jefa vecino vecina tia tio prima primo perro gato',
);
const ABOUT: Readonly<Record<string, string>> = { de: 'was ist mit', es: 'qué hay de' };
const MOST_WORDS = 14;
const MOST_NAMED = 5;

/**
 * The answer to a request that the user puts right, "no, I meant the bread", "not my sister, my brother": what was asked
 * is asked anew with what is meant.
 *
 * @param ask answers another request in place of this one
 */
export function corrected(turn: Turn, ask: (request: string) => Reply): Reply | undefined {
  const { talk, request, said, requests } = turn;
  const found = said.history.length > 0 ? correctionIn(request, talk) : undefined;
  const before = found && requests.find(({ text, words }) => words.length > 0 && !correctionIn(text, talk));
  if (!before || (found.isBare && !before.asks)) return undefined;
  const asks = turn.whole.asks || before.asks;
  const told = new Set(said.history.map(({ answer }) => answer));
  for (const reading of new Set(readingsOf(turn, found, before))) {
    const reply = ask(reading);
    if (reply.isAnswered && !told.has(reply.answer) && (asks || !isHeard(turn, reply))) return reply;
  }
  return turn.own(asks ? 'corrected_unknown' : 'corrected', !asks);
}

/** An answer that was given to what the user denies now is none: "no, it was me, I told her secret". */
export function withoutDenied(turn: Turn, reply: Reply): Reply {
  const { talk, said, whole } = turn;
  const last = said.history.at(-1)?.answer;
  const [first, second] = whole.words;
  if (!last || last.endsWith('?') || !second || !DENIES.has(first!.text) || !whole.terms.shape?.tells) return reply;
  const topic = talk.pointAfter(last)?.topic;
  return topic && topic.id === reply.id && talk.isIntent(topic) ? (turn.own('corrected', true) ?? reply) : reply;
}

/** Whether a reply says no more than that a statement was heard. */
function isHeard({ talk }: Turn, { id }: Reply): boolean {
  return talk.acknowledge.all.some((rule) => rule.id === id);
}

function correctionIn(request: string, talk: Conversation): Correction | undefined {
  const [first] = sentencesOf(request, talk.terms);
  if (!first || first.words.length > MOST_WORDS) return undefined;
  const { words, text } = first;
  const rest = request.slice(request.indexOf(text) + text.length).trim();
  const isSpanish = talk.terms.language.startsWith('es');
  const isNot = (at: number) => isSpanish && words[at]?.text === NO && words[at]!.clause === words[at + 1]?.clause;
  let from = 0;
  while (BEFORE.has(words[from]?.text ?? '') && !isNot(from)) from++;
  const denies = words.slice(0, from).some((word) => DENIES.has(word.text));
  const spoken = words.slice(from);
  const named = meantIn(spoken) ?? insteadIn(spoken, isSpanish);
  const made = named ?? (denies && !rest ? namedIn(spoken) : undefined);
  if (!made) return undefined;
  const right = withoutIs(made.right);
  const isNamed = right.length > 0 && right.length <= MOST_NAMED && !VAGUE.has(right[0]!.text);
  if (!isNamed || contentOf(sentenceOf(sliceOf(text, right), talk.terms).terms).length === 0) return undefined;
  return { right, wrong: withoutIs(made.wrong), text, rest, isBare: !named };
}

type Parts = Pick<Correction, 'right' | 'wrong'>;

/** "I meant the bread, not the pizza", "coffee I mean". */
function meantIn(words: readonly Word[]): Parts | undefined {
  const before = MEANT.find((phrase) => standsAt(words, 0, phrase));
  if (before) {
    const named = words.slice(before.length);
    const at = named.findIndex(({ text }) => NEGATIONS.has(text));
    if (at < 0) return { right: named, wrong: [] };
    // "I mean he can't" is no name.
    const isApart = at > 0 && named[at]!.clause !== named[at - 1]!.clause;
    return isApart ? { right: named.slice(0, at), wrong: named.slice(at + 1) } : undefined;
  }
  const behind = MEANT.find((phrase) => standsAt(words, words.length - phrase.length, phrase));
  return behind && words.length > behind.length
    ? { right: words.slice(0, words.length - behind.length), wrong: [] }
    : undefined;
}

/** "Not my sister, my brother", "Pluto nicht, Mars". */
function insteadIn(words: readonly Word[], isSpanish: boolean): Parts | undefined {
  const isNot = (word: Word) => NOT.has(word.text) || (isSpanish && word.text === NO);
  const end = words.findIndex(({ text, clause }) => INSTEAD.has(text) || clause !== words[0]!.clause);
  const first = words.slice(0, end);
  const right = words.slice(INSTEAD.has(words[end]?.text ?? '') ? end + 1 : end);
  if (end < 2 || first.length > MOST_NAMED || right.length === 0) return undefined;
  if (isNot(first[0]!)) return { right, wrong: first.slice(1) };
  return isNot(first.at(-1)!) ? { right, wrong: first.slice(0, -1) } : undefined;
}

/** "No, the bread." */
function namedIn(words: readonly Word[]): Parts | undefined {
  const isName = words.length > 1 && words.length <= 3 && DETERMINERS.has(words[0]!.text);
  return isName ? { right: words, wrong: [] } : undefined;
}

function withoutIs(words: readonly Word[]): readonly Word[] {
  const is = IS.find((phrase) => standsAt(words, 0, phrase));
  return is ? words.slice(is.length) : words;
}

/** What may be asked with a correction, the likeliest first. */
function readingsOf(turn: Turn, { right, wrong, text, rest }: Correction, before: Sentence): string[] {
  const named = sliceOf(text, right);
  if (rest !== '') return [`${named}. ${rest}`];
  const replaced = replacedIn(turn, before, wrong, right);
  const other = replaced && `${before.text.slice(0, replaced.start)}${named}${before.text.slice(replaced.end)}`;
  const about = ABOUT[turn.talk.terms.language.slice(0, 2)] ?? 'what about';
  const both = `${before.text.slice(0, before.words.at(-1)!.end)} ${named}`;
  const asked = before.asks ? [`${about} ${named}?`, `${both}?`, `${named}?`] : [both];
  return other ? [other] : asked;
}

/** Where in the last request stands what something else is meant by. */
function replacedIn({ talk }: Turn, { words }: Sentence, wrong: readonly Word[], right: readonly Word[]) {
  const { stemOf } = talk.terms;
  const place = (at: number, length: number) => {
    const hasOwn = DETERMINERS.has(right[0]!.text) && DETERMINERS.has(words[at - 1]?.text ?? '');
    return { start: words[at - (hasOwn ? 1 : 0)]!.start, end: words[at + length - 1]!.end };
  };
  const names = wrong.filter(({ text }) => !DETERMINERS.has(text)).map(({ text }) => stemOf(text));
  const at = words.findIndex((_, index) =>
    names.every((name, place) => stemOf(words[index + place]?.text ?? '') === name),
  );
  if (names.length > 0 && at >= 0) return place(at, names.length);
  const meant = talk.things?.namesIn(right)[0]?.things[0];
  const other = meant && talk.things!.namesIn(words).findLast(({ things }) => things[0]!.kind === meant.kind);
  if (other) return place(other.at, other.length);
  const isPerson = right.some(({ text }) => PEOPLE.has(text));
  const pointing = words.findIndex(({ text }) => (isPerson ? PEOPLE : PRONOUNS).has(text));
  return pointing < 0 ? undefined : place(pointing, 1);
}

function standsAt(words: readonly Word[], at: number, others: readonly string[]): boolean {
  return at >= 0 && others.every((other, index) => words[at + index]?.text === other);
}

function sliceOf(text: string, words: readonly Word[]): string {
  return words.length === 0 ? '' : text.slice(words[0]!.start, words.at(-1)!.end);
}
