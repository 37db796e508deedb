/** A word of a text as rules see it: folded to one spelling, with its place in the text as it was written. */
export interface Word {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Counts up at each punctuation mark, so that words of one clause share a number. */
  readonly clause: number;
  /** A character of a script that writes no spaces, each of which counts as a word. */
  readonly solo: boolean;
}

/** Spellings that stand for others, folded: `i'm` → `i am`. */
export type Rewrites = ReadonlyMap<string, readonly string[]>;

const UNSPACED =
  '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}\\p{Extended_Pictographic}';
const LETTER = `(?![${UNSPACED}])[\\p{L}\\p{N}]`;
const TAIL = `(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}\\u200c\\u200d])*`;
const WORD = new RegExp(`([${UNSPACED}])|${LETTER}${TAIL}(?:['’ʼ]${LETTER}${TAIL})*`, 'gu');
const PLAIN_TEXT = /^[\x20-\x7e]*$/;
const WORD_OF_PLAIN_TEXT = /[a-z0-9]+(?:'[a-z0-9]+)*/gi;
const PLAIN_WORD = /^[a-z0-9']*$/;
const CLAUSE_END = /[^\s'’"“”«»\-–_*~\u200b-\u200f\ufe0f]/u;

// Latin accents, Arabic vowel signs and tatweel, the Devanagari nukta, invisible joiners. Other marks carry meaning:
// a Hindi word without its vowel signs is another word.
const DROPPED = /[\u0300-\u036f\u0610-\u061a\u0640\u064b-\u065f\u0670\u093c\u200c\u200d]/g;
const ALIKE = new Map([
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['ø', 'o'],
  ['ł', 'l'],
  ['ı', 'i'],
  ['\u0649', '\u064a'], // Arabic yeh, heh and kaf, each in two forms
  ['\u06cc', '\u064a'],
  ['\u0629', '\u0647'],
  ['\u06a9', '\u0643'],
  ['\u0901', '\u0902'], // Devanagari candrabindu
]);
const ALIKES = new RegExp(`[${[...ALIKE.keys()].join('')}]`, 'g');
const DRAWN_OUT = /(\p{L})\1{2,}/gu;
const ARABIC_ARTICLE = /^و?(?:ال|بال|لل)(?=.{3})/;

/** Spellings that were worked out before. */
const folds = new Map<string, string>();
const MOST_FOLDS = 20_000;
const LONGEST_KEPT = 40;

/** One spelling for a word: no case, no accents, no article in Arabic, no drawn-out letters (`heyyy`). */
export function fold(word: string): string {
  const lower = word.toLowerCase();
  let folded = folds.get(lower);
  if (folded === undefined) {
    folded = PLAIN_WORD.test(lower) ? lower.replace(DRAWN_OUT, '$1') : foldedOf(lower);
    if (folds.size >= MOST_FOLDS) folds.clear();
    if (lower.length <= LONGEST_KEPT) folds.set(lower, folded);
  }
  return folded;
}

function foldedOf(lower: string): string {
  return lower
    .normalize('NFKD')
    .replace(DROPPED, '')
    .replace(ALIKES, (letter) => ALIKE.get(letter)!)
    .replace(/[’ʼ]/g, "'")
    .replace(DRAWN_OUT, '$1')
    .replace(ARABIC_ARTICLE, '');
}

/** Splits a text into at most `limit` words. */
export function wordsOf(text: string, limit: number): Word[] {
  const words: Word[] = [];
  let clause = 0;
  let end = 0;
  for (const match of text.matchAll(PLAIN_TEXT.test(text) ? WORD_OF_PLAIN_TEXT : WORD)) {
    if (words.length >= limit) break;
    if (match.index > end + 1 || text[end] !== ' ') {
      if (CLAUSE_END.test(text.slice(end, match.index))) clause++;
    }
    end = match.index + match[0].length;
    words.push({ text: fold(match[0]), start: match.index, end, clause, solo: match[1] !== undefined });
  }
  return words;
}

/** Reads words as a language does: spellings that stand for others, then the parts around an apostrophe as words. */
export function rewritten(words: readonly Word[], rewrites: Rewrites): readonly Word[] {
  const texts = (text: string) => rewrites.get(text) ?? (text.includes("'") ? text.split("'") : undefined);
  if (!words.some((word) => texts(word.text))) return words;
  return words.flatMap((word) => texts(word.text)?.map((text) => ({ ...word, text })) ?? word);
}
