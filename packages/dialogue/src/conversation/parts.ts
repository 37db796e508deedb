import { OPENERS, TermWeights } from '../text/language.js';
import { fold, Word } from '../text/words.js';
import { Slots } from '../match/pattern.js';
import { Turn } from './turn.js';

/** A part of a request: a sentence, or what stands between commas. */
export interface Part {
  readonly text: string;
  readonly words: readonly Word[];
  readonly asks: boolean;
  /** Whether it says anything that counts. */
  readonly says: boolean;
  /** What it certainly means, if that is known. */
  readonly meaning?: Meaning;
  /** Whether a greeting was left out of it. */
  readonly greets: boolean;
}

/** The intent of a part, with what its slots caught. */
export interface Meaning {
  readonly id: string;
  readonly slots: Slots;
  readonly score: number;
}

/** Behind each mark that ends a sentence: not the point of `3.5`. */
const SENTENCE_END = /(?<=[!?…。！？؟।\n]|\.(?!\d))/u;
const CLAUSE_END = /[,;:，、،؛]\s*|\s[-–—]\s/u;
const QUESTION_MARK = /[?？؟]\s*$/u;
const MOST_PARTS = 8;
/** What an example and a request must have in common: more if no word says anything by itself. */
const SURE = 0.78;
const SURE_OF_SMALL_WORDS = 0.92;
/** A clause that says less of its sentence means little without the rest. */
const LEAST_OF_SENTENCE = 0.5;
/** A pattern that names one word says enough only of a short sentence. */
const SHORT = 3;
const FEW_ASIDES = 5;
const LONG = 4;
const GREETING = 'greeting';
/** Who says goodbye wants nothing else, unless something is asked. */
export const PARTING: ReadonlySet<string> = new Set(['bye', 'good_night', 'gotta_go']);

/** A text as one part. */
export function partOf(turn: Turn, text: string): Part {
  const { language } = turn.script;
  const spoken = withoutName(language.wordsOf(text), fold(turn.said.avatar.name));
  const opening = spoken.findIndex(({ text: word }) => !OPENERS.has(word));
  const rest = opening > 0 ? spoken.slice(opening) : spoken;
  const asks = QUESTION_MARK.test(text) || language.asks(spoken);
  const whole = meaningOf(turn, spoken, text);
  const meaning =
    whole ??
    (rest === spoken ? undefined : meaningOf(turn, rest, text)) ??
    (asks ? undefined : asideOf(turn, spoken, text));
  const before = opening > 0 && !whole ? turn.script.best(language.termsOf(spoken.slice(0, opening))) : undefined;
  return {
    text,
    words: spoken,
    asks,
    says: language.saysSomething(spoken),
    ...(meaning && { meaning }),
    greets: before?.rule === GREETING,
  };
}

/** The parts of a request: those at its end if there are many, for there the question is. */
export function partsOf(turn: Turn): Part[] {
  const whole = partOf(turn, turn.request);
  if (whole.meaning) return [whole];
  const sentences = sentencesOf(turn.request);
  const parts = sentences.flatMap((sentence) => {
    const part = sentences.length === 1 ? whole : partOf(turn, sentence);
    if (part.meaning) return [part];
    const texts = split(sentence, CLAUSE_END);
    const clauses = texts.length > 1 ? texts.map((text) => partOf(turn, text)) : [];
    const known = clauses.filter(({ meaning }) => meaning).reduce((sum, { words }) => sum + words.length, 0);
    return known >= LEAST_OF_SENTENCE * part.words.length || clauses.some((one) => standsAlone(turn, one))
      ? clauses
      : [{ ...part, asks: part.asks || clauses.some(({ asks, words }) => asks && words.length >= LONG) }];
  });
  const name = fold(turn.said.avatar.name);
  return parts.filter(({ words }) => words.some(({ text }) => text !== name));
}

/** Whether a clause means something without the rest of its sentence: "bye", "how do I cook rice". */
function standsAlone({ script }: Turn, { meaning, asks, words }: Part): boolean {
  return meaning !== undefined && (script.intents.get(meaning.id)?.aside === true || (asks && words.length >= LONG));
}

/** The sentences of a text: the last ones if there are many. */
export function sentencesOf(text: string): string[] {
  return split(text, SENTENCE_END);
}

function meaningOf(turn: Turn, words: readonly Word[], text: string): Meaning | undefined {
  const { script } = turn;
  const found = script.patterns.best(words, text);
  if (found && (found.weight >= 2 || words.length <= SHORT)) return { id: found.rule, slots: found.slots, score: 1 };
  const best = script.best(script.language.termsOf(words));
  const least = script.language.saysSomething(words) ? SURE : SURE_OF_SMALL_WORDS;
  return best && best.score >= least ? { id: best.rule, slots: {}, score: best.score } : undefined;
}

/** What a few words mean each of which is said beside something else: "bye, thanks". */
function asideOf(turn: Turn, words: readonly Word[], text: string): Meaning | undefined {
  if (words.length < 2 || words.length > FEW_ASIDES) return undefined;
  const { script } = turn;
  const meanings = words
    .filter((word) => word.text !== fold(turn.said.avatar.name) && script.language.saysSomething([word]))
    .map((word) => meaningOf(turn, [word], text));
  const isAside = (meaning: Meaning | undefined) => meaning && script.intents.get(meaning.id)?.aside === true;
  return meanings.every(isAside) ? (meanings.find((one) => PARTING.has(one!.id)) ?? meanings.at(-1)) : undefined;
}

/** What a follow-up needs to take a text. */
export function isSure(score: number, terms: TermWeights): boolean {
  return score >= (terms.size > 1 ? SURE : SURE_OF_SMALL_WORDS);
}

function withoutName(words: readonly Word[], name: string): readonly Word[] {
  const rest = words.filter(({ text }, at) => text !== name || (at > 0 && at < words.length - 1));
  return rest.length > 0 ? rest : words;
}

function split(text: string, at: RegExp): string[] {
  return text
    .split(at)
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .slice(-MOST_PARTS);
}
