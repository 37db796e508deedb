import type { PhonemeTime, WordTime } from '../audio/speech.samples.js';
import { toMilliseconds } from '../audio/samples.js';
import { spokenFrom } from './spoken.text.js';

/** The position of a speaker in a text at a time. */
export interface WordMark {
  /** Index of a UTF-16 code unit of the original text. */
  readonly index: number;
  /** Seconds. */
  readonly at: number;
}

interface Token {
  readonly text: string;
  readonly start: number;
  /** How long it takes to say, in relative units; 0 if it is not spoken. */
  readonly weight: number;
}

/** Scripts without spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const OPENING = /^[\p{Ps}\p{Pi}\s]+$/u;
/** Characters that may follow a text's last word. */
const MARK = /[\p{P}\p{S}\s]/u;
/** Pauses in seconds: after a sentence, and within one. */
const PAUSES: readonly [RegExp, number][] = [
  [/[.!?…。！？।؟]/u, 0.3],
  [/[,;:–—，、；：،]/u, 0.15],
];
const LETTERS_A_SECOND = 15;

/** Splits a text into words, each with everything up to the next; their concatenation is the text. */
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
 * Word timings, from a speaker's marks for some words. Words between two marks share the time in proportion to their
 * letters, since speakers join short ones; words that are not spoken get a moment at their position.
 *
 * @param phonemes of the same audio; their pauses belong to no word
 * @param seconds length of the audio
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
  // Text before the first mark is part of its interval.
  begun[0] = { ...begun[0]!, token: 0 };
  return begun.flatMap(({ token, at }, index) => {
    const next = begun[index + 1];
    const until = next?.at ?? Math.max(at, end);
    const heard = phonemes.findLast(({ start }) => start < until);
    const span = { start: at, end: heard && heard.start >= at ? Math.min(until, heard.end) : until };
    return shared(tokens.slice(token, next?.token), span, false);
  });
}

/** Estimated word timings, if all of the text is spoken between two times. */
export function estimatedWords(text: string, heard: Pick<WordTime, 'start' | 'end'>): WordTime[] {
  return shared(tokensOf(text), heard, true);
}

function shared(
  tokens: readonly Token[],
  { start, end }: Pick<WordTime, 'start' | 'end'>,
  withPauses: boolean,
): WordTime[] {
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

/** Digits, symbols and syllabic characters take longer to say than a letter. */
function weightOf(text: string): number {
  const count = (characters: RegExp) => text.match(characters)?.length ?? 0;
  return count(/\p{L}/gu) + 2 * count(/\p{Script=Han}/gu) + 4 * count(/[\p{N}\p{S}%&@§]/gu);
}

/** Seconds of silence after a text, by its final punctuation. */
export function pauseAfter(text: string): number {
  const characters = [...text];
  const marks = characters.slice(characters.findLastIndex((character) => !MARK.test(character)) + 1).join('');
  return PAUSES.find(([mark]) => mark.test(marks))?.[1] ?? 0;
}
