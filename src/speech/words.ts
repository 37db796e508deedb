import type { PhonemeTime, WordTime } from './sound.js';
import { toMilliseconds } from './speech.mp3.js';
import { spokenFrom } from './speech.text.js';

/** Where a speaker is in a text at a time. */
export interface WordMark {
  /** Of a UTF-16 unit of the text as it was given. */
  readonly index: number;
  /** Seconds. */
  readonly at: number;
}

/** A word that is, or is not, to be heard. */
interface Token {
  readonly text: string;
  readonly start: number;
  /** How long it takes to say, of no particular unit; 0 for what is not said. */
  readonly weight: number;
}

/** What lasts between times. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** Scripts that are written without spaces. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const OPENING = /^[\p{Ps}\p{Pi}\s]+$/u;
/** What a text may end with after its last word. */
const MARK = /[\p{P}\p{S}\s]/u;
/** The pauses of reading in seconds: after a sentence, and within. */
const PAUSES: readonly [RegExp, number][] = [
  [/[.!?…。！？।؟]/u, 0.3],
  [/[,;:–—，、；：،]/u, 0.15],
];
const LETTERS_A_SECOND = 15;

/** A text in words, each with what follows it up to the next; together they are the text. */
export function wordsOf(text: string): string[] {
  const words = text.match(/^\s*\S*\s*|\S+\s*/g) ?? [];
  return words.flatMap((word) => (UNSPACED.test(word) ? segmentsOf(word) : word || []));
}

function segmentsOf(text: string): string[] {
  const parts: string[] = [];
  let before = '';
  for (const { segment, isWordLike } of new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text)) {
    if (isWordLike || parts.length === 0 || OPENING.test(segment)) {
      before += segment;
      if (!isWordLike) continue;
      parts.push(before);
      before = '';
    } else {
      parts.push(`${before ? parts.pop()! + before : parts.pop()!}${segment}`);
      before = '';
    }
  }
  if (before !== '') parts.push((parts.pop() ?? '') + before);
  return parts;
}

/**
 * When the words of a text are spoken, by what the speaker said of some. Words between two marks share the time in
 * proportion to their letters, for speakers join short ones; those that are not spoken get a moment at their place.
 *
 * @param phonemes of the same sound; their pauses are in no word
 * @param seconds how long the sound is
 */
export function wordTimes(
  text: string,
  marks: readonly WordMark[],
  phonemes: readonly PhonemeTime[],
  seconds: number,
): WordTime[] {
  const tokens = tokensOf(text);
  const begun: { token: number; at: number }[] = [];
  for (const { index, at } of marks) {
    const token = tokens.findLastIndex(({ start }) => start <= index);
    const last = begun.at(-1);
    if (!last || (token > last.token && at > last.at)) begun.push({ token: Math.max(0, token), at });
  }
  const end = phonemes.at(-1)?.end ?? seconds;
  if (begun.length === 0) begun.push({ token: 0, at: phonemes[0]?.start ?? 0 });
  // What comes before the first mark is part of its time.
  begun[0] = { ...begun[0]!, token: 0 };
  return begun.flatMap(({ token, at }, index) => {
    const next = begun[index + 1];
    const until = next?.at ?? Math.max(at, end);
    const heard = phonemes.findLast(({ start }) => start < until);
    const span = { start: at, end: heard && heard.start >= at ? Math.min(until, heard.end) : until };
    return shared(tokens.slice(token, next?.token), span, false);
  });
}

/** When the words of a text are probably spoken, if all of it is between two times. */
export function estimatedWords(text: string, heard: Span): WordTime[] {
  return shared(tokensOf(text), heard, true);
}

function shared(tokens: readonly Token[], { start, end }: Span, withPauses: boolean): WordTime[] {
  const last = tokens.findLastIndex(({ weight }) => weight > 0);
  const pauses = tokens.map(({ text, weight }, index) =>
    withPauses && weight > 0 && index < last ? pauseAfter(text) * LETTERS_A_SECOND : 0,
  );
  const all = tokens.reduce((sum, { weight }, index) => sum + weight + pauses[index]!, 0);
  const moment = (said: number) => toMilliseconds(start + (all === 0 ? 0 : (said / all) * (end - start)));
  let said = 0;
  return tokens.map(({ text, weight }, index) => {
    const word = { text, start: moment(said), end: moment(said + weight) };
    said += weight + pauses[index]!;
    return word;
  });
}

function tokensOf(text: string): Token[] {
  const { text: spoken, positions } = spokenFrom(text);
  let start = 0;
  let at = 0;
  return wordsOf(text).map((word) => {
    const token = { text: word, start };
    start += word.length;
    const from = at;
    while (at < positions.length && positions[at]! < start) at++;
    return { ...token, weight: weightOf(spoken.slice(from, at)) };
  });
}

/** A digit, a sign and a syllable in one character take longer to say than a letter. */
function weightOf(text: string): number {
  const count = (characters: RegExp) => text.match(characters)?.length ?? 0;
  return count(/\p{L}/gu) + 2 * count(/\p{Script=Han}/gu) + 4 * count(/[\p{N}\p{S}%&@§]/gu);
}

/** Seconds of silence that belong after a text, by the mark that it ends with. */
export function pauseAfter(text: string): number {
  const characters = [...text];
  const marks = characters.slice(characters.findLastIndex((character) => !MARK.test(character)) + 1).join('');
  return PAUSES.find(([mark]) => mark.test(marks))?.[1] ?? 0;
}
