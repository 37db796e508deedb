import { KnowledgeBase } from '../script/knowledge-base.js';
import { QUESTION_WORDS, Sentence, sentenceOf, sentencesOf, WHETHER } from '../text/sentences.js';
import { LEAVES_OUT, NEGATIONS } from '../text/shape.js';
import { contentOf } from '../text/terms.js';
import { Word, writtenAs } from '../text/words.js';

/** What the user puts right. */
export type Correction = Named | { readonly asked: string };

/** What is meant instead of what was understood: `right` instead of `wrong`, if that is named; `rest` is what is said behind it. */
export interface Named {
  readonly right: readonly Word[];
  readonly wrong: readonly Word[];
  readonly text: string;
  readonly rest: string;
  /** Whether it says nothing but a name: "no, the bread". */
  readonly isBare: boolean;
}

type Parts = Pick<Named, 'right' | 'wrong'>;

const list = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** All of these are in any language. */
export const DENIES = list('no nope nah nein ne doch');
const BEFORE = list(
  'no nope nah nein ne doch sorry oh ah hey wait oops entschuldigung ach so quatsch perdon ay uy perdona',
);
const NOT = list('not nicht kein keine keinen');
/** Spanish denies with one word where others have two. */
const NO = 'no';
const INSTEAD = list('but rather instead sondern sino');
/** Begin what is no name of what is meant: `I mean it`. */
const VAGUE = list(
  'it that this to so well like something else other really es das was etwas anderes so ernst eso esto otra otro lo que',
);
/** "Digo en serio." */
const IN_EARNEST = list('serio broma');
/** Say in the middle of a correction that something is. */
const IS = 'it was, it is, was, is, das war, es war, das ist, es ist, war, ist, era, fue, es'
  .split(', ')
  .map((one) => one.split(' '));
export const DETERMINERS = list(
  'the a an my your our his her their to of on der die das den dem des ein eine einen einem einer mein meine meinen meinem meiner ' +
    'el la los las un una mi mis tu tus su sus a al de del',
);
/** "No, on the moon." */
const BEFORE_NAMES = list('on in at for auf in im am fur en para');
const MOST_WORDS = 14;
const MOST_ASKED_WORDS = 24;
const MOST_NAMED = 5;
const MOST_BEFORE_MEANT = 7;

/** What a request puts right of what was said before, if it does. */
export function correctionIn(request: string, knowledge: KnowledgeBase): Correction | undefined {
  const [first] = sentencesOf(request, knowledge.terms);
  if (!first || first.words.length > MOST_ASKED_WORDS) return undefined;
  const { words, text } = first;
  const rest = request.slice(request.indexOf(text) + text.length).trim();
  const isSpanish = knowledge.terms.language.startsWith('es');
  const isNot = (at: number) => isSpanish && words[at]?.text === NO && words[at]!.clause === words[at + 1]?.clause;
  const skip = (at: number): number => (BEFORE.has(words[at]?.text ?? '') && !isNot(at) ? skip(at + 1) : at);
  const start = skip(0);
  // "That's not what I asked."
  const missed = lengthOf(knowledge, 'misunderstood', words.slice(start));
  const from = skip(start + missed);
  const denies = missed > 0 || words.slice(0, from).some((word) => DENIES.has(word.text));
  const spoken = words.slice(from);
  if (spoken.length === 0) return missed > 0 && rest !== '' ? behindDenial(rest, knowledge) : undefined;
  const asked = askedIn(first, spoken, rest, denies, knowledge);
  if (asked !== undefined) return { asked };
  const named = words.length > MOST_WORDS ? undefined : (meantIn(spoken, knowledge) ?? insteadIn(spoken, isSpanish));
  const made = named ?? (denies && !rest ? namedIn(spoken) : undefined);
  if (!made) return undefined;
  const right = withoutIs(made.right);
  const isVague = VAGUE.has(right[0]?.text ?? '') || IN_EARNEST.has(right[1]?.text ?? '');
  const isNamed = right.length > 0 && right.length <= MOST_NAMED && !isVague;
  return isNamed && says(right, text, knowledge)
    ? { right, wrong: withoutIs(made.wrong), text, rest, isBare: !named }
    : undefined;
}

/** What is asked behind "that's not what I asked." */
function behindDenial(rest: string, knowledge: KnowledgeBase): Correction | undefined {
  const found = correctionIn(rest, knowledge);
  if (found) return found;
  const asks = sentencesOf(rest, knowledge.terms).some((one) => one.asks && contentOf(one.terms).length > 0);
  return asks ? { asked: rest } : undefined;
}

/** The question that stands in a correction: "no, I asked how big it is", "not rice. How do I cook quinoa?". */
function askedIn(
  { text, asks }: Sentence,
  spoken: readonly Word[],
  rest: string,
  denies: boolean,
  knowledge: KnowledgeBase,
): string | undefined {
  const meant = lengthOf(knowledge, 'meant', spoken);
  const said = meant > 0 ? meant : denies ? lengthOf(knowledge, 'asked', spoken) : 0;
  const question = spoken.slice(said);
  const [begin] = question;
  if (!begin || (said === 0 && !denies)) return onlyDenied(spoken) && asksIn(rest, knowledge) ? rest : undefined;
  const isAsked = QUESTION_WORDS.has(begin.text) || (said > 0 && WHETHER.has(begin.text));
  // "I mean he can't", and "I mean, what can I say", ask for nothing.
  const isLong = asks && denies && question.length > MOST_NAMED;
  if (!isLong && !(isAsked && (denies || said > 0) && question.length > 1)) {
    return onlyDenied(spoken) && asksIn(rest, knowledge) ? rest : undefined;
  }
  const words = WHETHER.has(begin.text) ? question.slice(1) : question;
  // "How big it is" says what is asked, and nothing of what.
  const isMeasure = words.length > 2 && knowledge.terms.ofWords(words, true).shape?.kind !== undefined;
  if (words.length === 0 || !(isMeasure || says(words, text, knowledge))) return undefined;
  return `${writtenAs(text, words)}? ${rest}`.trim();
}

/** "Not rice." */
function onlyDenied(words: readonly Word[]): boolean {
  return NOT.has(words[0]?.text ?? '') && words.length > 1 && words.length <= MOST_NAMED && isOneClause(words);
}

function isOneClause(words: readonly Word[]): boolean {
  return words.every(({ clause }) => clause === words[0]!.clause);
}

function asksIn(rest: string, knowledge: KnowledgeBase): boolean {
  return sentencesOf(rest, knowledge.terms).some(({ asks, terms }) => asks && contentOf(terms).length > 0);
}

/** "I meant the bread, not the pizza", "coffee I mean", "I didn't mean the pizza, I meant the bread". */
function meantIn(words: readonly Word[], knowledge: KnowledgeBase): Parts | undefined {
  const before = lengthOf(knowledge, 'meant', words);
  if (before > 0) {
    const named = words.slice(before);
    const at = named.findIndex(({ text }) => NEGATIONS.has(text));
    if (at < 0) return { right: named, wrong: [] };
    if (at === 0) return insteadIn(named, false);
    // "I mean he can't" is no name.
    const isApart = named[at]!.clause !== named[at - 1]!.clause;
    return isApart ? { right: named.slice(0, at), wrong: named.slice(at + 1) } : undefined;
  }
  if (words.slice(0, MOST_NAMED).some(({ text }) => NEGATIONS.has(text) && !LEAVES_OUT.has(text))) {
    const at = words.findIndex((_, index) => index > 1 && lengthOf(knowledge, 'meant', words.slice(index)) > 0);
    const again = at < 0 ? words.findIndex(({ text }, index) => index > 1 && INSTEAD.has(text)) : at;
    const length = at < 0 ? 1 : lengthOf(knowledge, 'meant', words.slice(at));
    const not = words.slice(1, again);
    const wrong = not.slice(Math.max(0, lengthOf(knowledge, 'meant', not)));
    const isMeant = at > 0 || (not.length > wrong.length && again > 0);
    return isMeant && again <= MOST_BEFORE_MEANT
      ? { right: withoutTo(words.slice(again + length)), wrong: wrong.slice(-1) }
      : undefined;
  }
  const behind = knowledge.set('meant_behind').best(words, '');
  return behind && behind.at > 0 ? { right: words.slice(0, behind.at), wrong: [] } : undefined;
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
  const named = BEFORE_NAMES.has(words[0]!.text) ? words.slice(1) : words;
  const isPlace = named.length < words.length && named.length > 0;
  const isName = named.length > (isPlace ? 0 : 1) && words.length <= 3 && (isPlace || DETERMINERS.has(words[0]!.text));
  return isName ? { right: words, wrong: [] } : undefined;
}

/** "Sino a los escorpiones." */
function withoutTo(words: readonly Word[]): readonly Word[] {
  return words[0]?.text === 'a' && DETERMINERS.has(words[1]?.text ?? '') ? words.slice(1) : words;
}

function withoutIs(words: readonly Word[]): readonly Word[] {
  const is = IS.find((phrase) => phrase.every((other, index) => words[index]?.text === other));
  return is ? words.slice(is.length) : words;
}

/** How many words a phrase of a set has that they begin with. */
function lengthOf(knowledge: KnowledgeBase, set: string, words: readonly Word[]): number {
  return Math.floor(knowledge.set(set).best(words, '')?.weight ?? 0);
}

function says(words: readonly Word[], text: string, knowledge: KnowledgeBase): boolean {
  return contentOf(sentenceOf(writtenAs(text, words), knowledge.terms).terms).length > 0;
}
