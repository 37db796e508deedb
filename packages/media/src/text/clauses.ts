/** Length in letters of a sentence that is spoken as a whole, and of the shortest part of a longer one. */
const SHORT_SENTENCE = 48;
const SHORTEST_CLAUSE = 16;

/** After punctuation that ends a clause, and the following space: not within a number or an address. */
const CLAUSE_END = /[,;:–—،؛]["'”’»)\]]*\s+|\s-\s+|[，、；：]["'”’»）」』]*\s*/gu;

/**
 * Splits a sentence into parts whose concatenation is the sentence: a long one can be heard earlier if its first clause
 * is spoken separately.
 */
export function clauses(sentence: string): string[] {
  if (lettersIn(sentence) < SHORT_SENTENCE) return [sentence];
  const parts: string[] = [];
  let start = 0;
  for (const { 0: mark, index } of sentence.matchAll(CLAUSE_END)) {
    const end = index + mark.length;
    const [part, rest] = [sentence.slice(start, end), sentence.slice(end)];
    if (lettersIn(part) < SHORTEST_CLAUSE || lettersIn(rest) < SHORTEST_CLAUSE) continue;
    parts.push(part);
    start = end;
  }
  return [...parts, sentence.slice(start)];
}

/** A Chinese character takes about as long to say as three letters. */
function lettersIn(text: string): number {
  return text.length + 2 * (text.match(/\p{Script=Han}/gu)?.length ?? 0);
}
