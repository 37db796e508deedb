import { readFileSync } from 'node:fs';

/** What keeps a full stop from ending a sentence, in one language. Words are in lower case, without their last full stop. */
interface Abbreviations {
  /** Those that never end a sentence. */
  readonly never: readonly string[];
  /** Those that end one only before a word that often begins one. */
  readonly rarely: readonly string[];
  /** Those that stand before a number: months, "No. 5". */
  readonly beforeNumbers: readonly string[];
  /** Words that often begin a sentence: a full stop before them ends one, as in "in the U.S. They …". */
  readonly starters: readonly string[];
  /** Whether a number with a full stop is an ordinal: "am 3. Oktober". */
  readonly hasOrdinals?: boolean;
}

/** Of Latin titles, which stand in texts of every language. */
const ANYWHERE = 'dr prof mr mrs ms st sr vs cf'.split(' ');

/** By language; in the file, words are in one text. */
const LANGUAGES = JSON.parse(
  readFileSync(new URL('../../assets/abbreviations.json', import.meta.url), 'utf8'),
  (_, value: unknown) => (typeof value === 'string' ? value.split(' ').filter(Boolean) : value),
) as Readonly<Record<string, Abbreviations>>;

/** Maximum length of a word that is looked up. */
const LONGEST_WORD = 20;
const WORD_CHARACTER = /^[\p{L}\p{M}\p{N}.º-]$/u;
const HAN = /^\p{sc=Han}$/u;
const NEXT_WORD = /^[\p{Ps}\p{Pi}"'’]*([\p{L}\p{M}]+)/u;
const INITIAL = /^\p{L}\p{M}*$/u;
/** Several letters, each with a full stop: "U.S.", "a.m.". */
const ACRONYM = /^(?:(?:\p{L}\p{M}*){1,2}\.)+-?(?:\p{L}\p{M}*){1,2}$/u;
/** Initials apart: "z. B.", "J. R. R.". */
const INITIALS = /(?:^|[^\p{L}])\p{L}\.[ \u00a0\u202f]\p{L}\.[ \u00a0\u202f]*$/u;
const LIST_NUMBER = /^\s*\d{1,3}\.[ \t]*$/;
const ORDINAL = /^\d{1,3}$/;

/**
 * Whether a sentence goes on after a full stop.
 *
 * @param before everything up to the full stop and the following spaces
 * @param after what follows; it may be incomplete
 * @param isOver whether nothing more will follow
 * @returns undefined if that depends on what follows
 */
export function goesOn(before: string, after: string, language: string, isOver: boolean): boolean | undefined {
  const word = lastWord(before);
  if (word === '') return false;
  const { never, rarely, beforeNumbers, starters, hasOrdinals } = LANGUAGES[language] ?? LANGUAGES.en!;
  const isNumber = /^[\p{Ps}\p{Pi}"'’]*\p{N}/u.test(after);
  if (never.includes(word) || ANYWHERE.includes(word) || LIST_NUMBER.test(before) || INITIALS.test(before)) return true;
  if (beforeNumbers.includes(word) && isNumber) return true;
  const isOrdinal = hasOrdinals && ORDINAL.test(word);
  if (!(rarely.includes(word) || INITIAL.test(word) || ACRONYM.test(word) || isOrdinal)) return false;
  const next = NEXT_WORD.exec(after);
  if (!next) return isNumber ? !isOrdinal : isOver ? false : undefined;
  // More letters may follow.
  if (!isOver && next[0].length === after.length) return undefined;
  return !starters.includes(next[1]!.toLowerCase());
}

/** The word before a full stop and spaces at the end of a text, without the full stop; empty if there is none. */
function lastWord(text: string): string {
  const end = text.slice(-2 * LONGEST_WORD);
  const ending = end.trimEnd();
  if (!ending.endsWith('.') || end.includes('\n', ending.length)) return '';
  const characters = Array.from(ending.slice(0, -1));
  const start = characters.findLastIndex((one) => !WORD_CHARACTER.test(one) || HAN.test(one)) + 1;
  return characters.slice(start).join('').toLowerCase();
}
