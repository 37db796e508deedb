const MIN_LENGTH = 5;
const MAX_SIMILAR = 5;
/** Languages that write compounds as one word, so that a question may name a part, or a compound of a part. */
const COMPOUNDING = new Set(['de']);

/** Words for one that does not occur: with a typing error, longer or shorter forms, and in German parts of compounds. */
export function similarTerms(term: string, language: string, all: readonly string[]): string[] {
  if (term.length < MIN_LENGTH) return [];
  const compounds = COMPOUNDING.has(language);
  const found: [term: string, rank: number][] = [];
  for (const other of all) {
    if (other.length < MIN_LENGTH - 1) continue;
    if (isNear(term, other)) found.push([other, 0]);
    else if (other.startsWith(term) || term.startsWith(other)) found.push([other, 1]);
    else if (compounds && (other.endsWith(term) || term.endsWith(other))) found.push([other, 2]);
  }
  return found
    .sort(
      ([a, rankA], [b, rankB]) => rankA - rankB || Math.abs(a.length - term.length) - Math.abs(b.length - term.length),
    )
    .slice(0, MAX_SIMILAR)
    .map(([other]) => other);
}

/** Whether one letter is added, left out, replaced, or swapped with the next. */
function isNear(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1 || a[0] !== b[0]) return false;
  const length = Math.min(a.length, b.length);
  let at = 0;
  while (at < length && a[at] === b[at]) at++;
  const [restA, restB] = [a.slice(at), b.slice(at)];
  if (restA.slice(1) === restB || restA === restB.slice(1) || restA.slice(1) === restB.slice(1)) return true;
  return restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2);
}
