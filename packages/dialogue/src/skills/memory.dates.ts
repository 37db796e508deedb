import { fold, wordsOf } from '../text/words.js';

const MOST_DATE_WORDS = 6;
const DAY_MS = 86_400_000;
/** Days that have no name. */
const DATE_WORDS = new Set(
  (
    'today tomorrow next this weekend first second third fourth fifth christmas ' +
    'heute morgen ubermorgen nachste nachsten nachster kommende kommenden ersten zweiten dritten weihnachten wochenende ' +
    'hoy manana pasado proximo proxima este esta primero navidad semana'
  ).split(' '),
);
const days = new Map<string, ReadonlySet<string>>();

/** "My exam is on Friday", but not "my exam is on paper". */
export function isDate(value: string, language: string): boolean {
  if (/\d/u.test(value)) return true;
  const named = dayNames(language);
  return wordsOf(value, MOST_DATE_WORDS).some(({ text }) => named.has(text) || DATE_WORDS.has(text));
}

function dayNames(language: string): ReadonlySet<string> {
  let names = days.get(language);
  if (!names) {
    const name = (options: Intl.DateTimeFormatOptions, at: number) =>
      fold(
        new Intl.DateTimeFormat(language, {
          ...options,
          timeZone: 'UTC',
        }).format(at),
      );
    names = new Set([
      ...Array.from({ length: 7 }, (_, day) => name({ weekday: 'long' }, day * DAY_MS)),
      ...Array.from({ length: 12 }, (_, month) => name({ month: 'long' }, month * 31 * DAY_MS)),
    ]);
    days.set(language, names);
  }
  return names;
}
