import { STOP_WORDS } from './stop.words.js';

/** Passages in a language that is not supported: their words are searched as they are. */
export const OTHER_LANGUAGE = 'xx';

const SCRIPTS: readonly (readonly [language: string, letters: RegExp])[] = [
  ['zh', /\p{sc=Han}/gu],
  ['ar', /\p{sc=Arabic}/gu],
  ['hi', /\p{sc=Devanagari}/gu],
];
const LATIN = ['en', 'de', 'es', 'fr', 'pt'];
/** Characters of a text that decide. */
const SAMPLE = 4_000;
/** A smaller share of its words is chance. */
const MIN_SHARE = 0.08;

/** The language of a text: its script, or for Latin letters its most frequent small words. */
export function languageOf(text: string): string {
  const sample = text.slice(0, SAMPLE);
  const letters = sample.match(/\p{L}/gu)?.length ?? 0;
  if (/[\p{sc=Hiragana}\p{sc=Katakana}]/u.test(sample)) return OTHER_LANGUAGE;
  for (const [language, pattern] of SCRIPTS) if ((sample.match(pattern)?.length ?? 0) > letters / 3) return language;
  const words = sample.toLowerCase().match(/\p{L}+/gu) ?? [];
  const counts = LATIN.map((language) => words.filter((word) => STOP_WORDS.get(language)!.has(word)).length);
  const best = Math.max(...counts);
  return best > words.length * MIN_SHARE ? LATIN[counts.indexOf(best)]! : OTHER_LANGUAGE;
}
