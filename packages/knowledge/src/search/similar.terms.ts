import type { PostingLists } from './posting.lists.js';

const MIN_LENGTH = 5;
const MAX_SIMILAR = 5;

/** Words for one that does not occur: with a typing error, longer or shorter forms, and in German parts of compounds. */
export function similarTerms(term: string, words: PostingLists): string[] {
  if (term.length < MIN_LENGTH) return [];
  const found: [term: string, rank: number][] = [];
  const isLong = (other: string) => other.length >= MIN_LENGTH - 1;
  for (const other of words.startingLike(term).keys())
    if (isNear(term, other)) found.push([other, 0]);
    else if (isLong(other) && (other.startsWith(term) || term.startsWith(other))) found.push([other, 1]);
  for (const other of words.endingLike(term))
    if (isLong(other) && (other.endsWith(term) || term.endsWith(other)) && !found.some(([one]) => one === other))
      found.push([other, 2]);
  const difference = (other: string) => Math.abs(other.length - term.length);
  found.sort(([a, rankA], [b, rankB]) => rankA - rankB || difference(a) - difference(b));
  return found.slice(0, MAX_SIMILAR).map(([other]) => other);
}

/** Whether one letter is added, left out, replaced, or swapped with the next. */
function isNear(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1 || a.charCodeAt(0) !== b.charCodeAt(0)) return false;
  const length = Math.min(a.length, b.length);
  let at = 1;
  while (at < length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  // Most have another last letter.
  if (at < length - 2 && a.charCodeAt(a.length - 1) !== b.charCodeAt(b.length - 1)) return false;
  const [restA, restB] = [a.slice(at), b.slice(at)];
  if (restA.slice(1) === restB || restA === restB.slice(1) || restA.slice(1) === restB.slice(1)) return true;
  return restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2);
}
