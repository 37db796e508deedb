/** From here on a word may have two errors. */
const LONG = 10;
const MOST_ERRORS = 2;
const SHORTEST = 5;

/** Whether a word may have a typing error. One that is known has none. */
export function isMisspellable(term: string): boolean {
  return term.length >= SHORTEST && /^\p{L}+$/u.test(term);
}

/** Whether a word that was found is the other with one error, or with two if it is long. */
export function isSimilar(found: string, asked: string): boolean {
  if (found[0] !== asked[0] || Math.abs(found.length - asked.length) > 1) return false;
  return isOneError(found, asked) || (asked.length >= LONG && errorsBetween(found, asked, MOST_ERRORS) <= MOST_ERRORS);
}

/** One letter more, less or another, or two that changed places. */
function isOneError(a: string, b: string): boolean {
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

/** How many letters are to be added, taken away or replaced to make one word of the other; more than `most` are not counted. */
function errorsBetween(a: string, b: string, most: number): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let at = 1; at <= a.length; at++) {
    const next = [at];
    for (let to = 1; to <= b.length; to++) {
      const replaced = row[to - 1]! + (a[at - 1] === b[to - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[to]! + 1, next[to - 1]! + 1));
    }
    if (Math.min(...next) > most) return Infinity;
    row = next;
  }
  return row[b.length]!;
}

/** From this length on a letter may be left out, or two may have changed places. */
const LEFT_OUT = 6;
const SWAPPED = 4;

/**
 * Whether a word is another with a slip of the keys: a letter left out, twins written as one or one as twins, or two that
 * changed places. With another letter it may be another word.
 */
export function isSlip(written: string, word: string): boolean {
  if (word[0] !== written[0] || !isOneError(word, written)) return false;
  if (word.length === written.length) return written.length >= SWAPPED && sorted(word) === sorted(written);
  if (written.length >= LEFT_OUT && word.length > written.length) return true;
  // "Kan", not "Herr".
  return (written.length >= LEFT_OUT || word.length > written.length) && withoutTwins(word) === withoutTwins(written);
}

function sorted(word: string): string {
  return [...word].sort().join('');
}

function withoutTwins(word: string): string {
  return word.replace(/(.)\1/gu, '$1');
}
