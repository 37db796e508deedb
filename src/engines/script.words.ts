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
export type Rewrites = ReadonlyMap<string, string>;

const UNSPACED =
  '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}\\p{Extended_Pictographic}';
const LETTER = `(?![${UNSPACED}])[\\p{L}\\p{N}]`;
const TAIL = `(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}\\u200c\\u200d])*`;
const WORD = new RegExp(`([${UNSPACED}])|${LETTER}${TAIL}(?:['’ʼ]${LETTER}${TAIL})*`, 'gu');
const CLAUSE_END = /[^\s'’"“”«»\-–_*~\u200b-\u200f\ufe0f]/u;

// Latin accents, Arabic vowel signs and tatweel, the Devanagari nukta, invisible joiners. Other marks carry meaning:
// a Hindi word without its vowel signs is another word.
const DROPPED = /[\u0300-\u036f\u0610-\u061a\u0640\u064b-\u065f\u0670\u093c\u200c\u200d]/g;
const ALIKE = new Map([
  ...[['ß', 'ss'], ['æ', 'ae'], ['œ', 'oe'], ['ø', 'o'], ['ł', 'l'], ['ı', 'i']],
  ...[['\u0649', '\u064a'], ['\u06cc', '\u064a'], ['\u0629', '\u0647'], ['\u06a9', '\u0643']], // Arabic yeh, heh, kaf
  ['\u0901', '\u0902'], // Devanagari candrabindu
] as [string, string][]); // prettier-ignore
const ALIKES = new RegExp(`[${[...ALIKE.keys()].join('')}]`, 'g');
const ARABIC_ARTICLE = /^و?(?:ال|بال|لل)(?=.{3})/;

/** One spelling for a word: no case, no accents, no article in Arabic, no drawn-out letters (`heyyy`). */
export function fold(word: string): string {
  return word
    .toLowerCase()
    .normalize('NFKD')
    .replace(DROPPED, '')
    .replace(ALIKES, (letter) => ALIKE.get(letter)!)
    .replace(/[’ʼ]/g, "'")
    .replace(/(\p{L})\1{2,}/gu, '$1')
    .replace(ARABIC_ARTICLE, '');
}

/** Splits a text into at most `limit` words. */
export function wordsOf(text: string, rewrites: Rewrites, limit: number): Word[] {
  const words: Word[] = [];
  let clause = 0;
  let end = 0;
  for (const match of text.matchAll(WORD)) {
    if (words.length >= limit) break;
    if (CLAUSE_END.test(text.slice(end, match.index))) clause++;
    end = match.index + match[0].length;
    const place = { start: match.index, end, clause, solo: match[1] !== undefined };
    const folded = fold(match[0]);
    const rewritten = rewrites.get(folded);
    if (rewritten !== undefined) {
      for (const text of rewritten.split(' ')) words.push({ ...place, text });
      continue;
    }
    let start = match.index;
    for (const part of match[0].split(/['’ʼ]/)) {
      words.push({ ...place, text: fold(part), start, end: start + part.length });
      start += part.length + 1;
    }
  }
  return words;
}
