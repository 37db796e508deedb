import { countWords, sentencesOf } from '../passages/passages.js';
import { termsOf } from '../text/terms.js';
import type { PassageMatch } from './passage.index.js';

/** A quotation is at most about this long: it may be spoken. */
const MAX_WORDS = 110;
/** Less of the question in a passage is chance. */
const MIN_COVERAGE = 0.55;

/**
 * Whether a passage is so likely to answer a question that it can be quoted without a model that reads it: the heading
 * is about most of the question, or the passage mentions nearly all of it.
 */
export function isQuotable({ coverage, headingCoverage, matched }: PassageMatch): boolean {
  if (coverage < MIN_COVERAGE) return false;
  return headingCoverage >= 0.6 || (headingCoverage >= 0.3 && matched >= 2) || (coverage >= 0.7 && matched >= 3);
}

/** A passage, or from a long one the sentences that say most about the question. */
export function quoteOf({ passage: { text, language } }: Pick<PassageMatch, 'passage'>, question: string): string {
  if (countWords(text) <= MAX_WORDS) return text;
  const terms = new Set(termsOf(question, language));
  const sentences = sentencesOf(text);
  const hits = sentences.map((sentence) => new Set(termsOf(sentence, language).filter((term) => terms.has(term))).size);
  const sizes = sentences.map(countWords);
  let best = { start: 0, end: 1, hits: -1 };
  for (let start = 0; start < sentences.length; start++) {
    let [end, words, sum] = [start, 0, 0];
    while (end < sentences.length && (end === start || words + sizes[end]! <= MAX_WORDS)) {
      words += sizes[end]!;
      sum += hits[end]!;
      end++;
    }
    if (sum > best.hits) best = { start, end, hits: sum };
  }
  return sentences.slice(best.start, best.end).join('').trim();
}
