/** From here on a stem may have two errors. */
const LONG = 8;

/** Typing errors that a stem of this length may have. A word that the intents know is none. */
export function editsOf(term: string): number | false {
  if (!/^\p{L}+$/u.test(term) || term.length < 4) return false;
  return term.length < 7 ? 1 : 2;
}

/** Whether a stem that was found is the other with one error, or with two if it is long. */
export function isSimilar(found: string, asked: string): boolean {
  if (found[0] !== asked[0] || Math.abs(found.length - asked.length) > 1) return false;
  return asked.length >= LONG || isOneError(found, asked);
}

/** One letter more, less or another, or two that changed places. */
export function isOneError(a: string, b: string): boolean {
  const least = Math.min(a.length, b.length);
  let start = 0;
  while (start < least && a[start] === b[start]) start++;
  let end = 0;
  while (end < least - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const differ = Math.max(a.length, b.length) - start - end;
  return (
    differ <= 1 || (differ === 2 && a.length === b.length && a[start] === b[start + 1] && a[start + 1] === b[start])
  );
}

const SIMILAR_SHORT = 0.5;
const SIMILAR = 0.85;
const SHORT = 5;

/** What a stem that is nearly the same counts, if it is short or long. */
export function similarity({ length }: string): number {
  return length > SHORT ? SIMILAR : SIMILAR_SHORT;
}
