import { stemmer as arabic } from '@orama/stemmers/arabic';
import { stemmer as english } from '@orama/stemmers/english';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as hindi } from '@orama/stemmers/indian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { STOP_WORDS } from './stop.words.js';

const STEMMERS: Readonly<Record<string, (word: string) => string>> = {
  en: english,
  de: german,
  es: spanish,
  fr: french,
  pt: portuguese,
  ar: arabic,
  hi: hindi,
};
const WORD = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)*/gu;
/** Without Chinese words, and with no others than segmentation finds. */
const PLAIN = /^[a-zß-öø-ÿ ,?!¿¡]*\.?$/;
/** Longer words are encoded data, not words. */
const MAX_WORD = 40;
/** Stems of frequent words are kept: stemming takes longer than everything else. */
const MAX_STEMS = 20_000;
const stems = new Map<string, string>();
const segmenter = new Intl.Segmenter('zh', { granularity: 'word' });

/** The words of a text that can be searched, in order: lower case, stemmed, without accents and without stop words. */
export function termsOf(text: string, language: string): string[] {
  const stopWords = STOP_WORDS.get(language);
  const terms: string[] = [];
  for (const word of wordsOf(text.normalize('NFKC').toLowerCase(), language)) {
    if (word.length > MAX_WORD || stopWords?.has(word)) continue;
    const term = stemOf(word, language);
    if (term) terms.push(term);
  }
  return terms;
}

function wordsOf(text: string, language: string): Iterable<string> {
  if (language === 'zh' && !PLAIN.test(text)) return segmentsOf(text);
  const words = text.match(WORD) ?? [];
  if (!/['’]/.test(text)) return words;
  if (language === 'fr') return words.map((word) => word.replace(/^(?:[cdjlmnst]|qu)['’]/, ''));
  return words.map((word) => word.replace(/['’]s?$/, '').replace('’', "'"));
}

function* segmentsOf(text: string): Iterable<string> {
  for (const { segment, isWordLike } of segmenter.segment(text)) {
    if (!isWordLike) continue;
    yield segment;
    // Segmentation depends on the context: pairs of characters are found in any.
    if (/^\p{sc=Han}{3,}$/u.test(segment))
      for (let at = 0; at + 2 <= segment.length; at++) yield segment.slice(at, at + 2);
  }
}

function stemOf(word: string, language: string): string {
  const key = `${language} ${word}`;
  const known = stems.get(key);
  if (known !== undefined) return known;
  const stem = STEMMERS[language]?.(normalized(word, language)) ?? word;
  // Accents are often left out by those who ask.
  const term =
    language === 'hi' || language === 'ar'
      ? stem
      : stem.normalize('NFD').replaceAll(/\p{M}/gu, '').replaceAll('ß', 'ss');
  if (stems.size >= MAX_STEMS) stems.clear();
  stems.set(key, term);
  return term;
}

/** One of several spellings. */
function normalized(word: string, language: string): string {
  if (language === 'ar')
    return word
      .replaceAll(/[\u064b-\u0652\u0670\u0640]/g, '')
      .replaceAll(/[أإآٱ]/g, 'ا')
      .replaceAll('ى', 'ي')
      .replaceAll('ة', 'ه');
  // Nukta and chandrabindu are often left out, nasals written either way.
  if (language === 'hi')
    return word.normalize('NFD').replaceAll('\u093c', '').replaceAll('\u0901', '\u0902').normalize('NFC');
  return word;
}
