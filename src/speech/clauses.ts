/** Letters of a sentence that is said at once, and of the shortest part of a longer one. */
const SHORT_SENTENCE = 48;
const SHORTEST_CLAUSE = 16;

/** After a mark that ends a clause, and the space after it: not within a number or an address. */
const CLAUSE_END = /[,;:–—،؛]["'”’»)\]]*\s+|\s-\s+|[，、；：]["'”’»）」』]*\s*/gu;

/**
 * A sentence in parts, which together are the sentence: a long one begins to sound earlier if its first clause is spoken
 * by itself.
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

/** A Chinese character takes as long to say as three letters, or about. */
function lettersIn(text: string): number {
  return text.length + 2 * (text.match(/\p{Script=Han}/gu)?.length ?? 0);
}
