import { countWords, type Passage, sentencesOf } from '../passages/passages.js';
import { termsOf } from '../text/terms.js';
import type { PassageMatch } from './passage.index.js';

/** A quotation is at most about this long: it may be spoken. */
const MAX_WORDS = 110;
/** Less of the question in a passage is chance. */
const MIN_COVERAGE = 0.55;
/** The same of what stands under the title alone: that names what the whole document is about. */
const MIN_UNDER_TITLE = 0.8;
/** What a question must have of a heading, if it says much else. */
const MIN_OF_HEADING = 0.65;
/** What a further question must have in common with what answers it. */
const MIN_SHARE = 0.6;
const HALF = 0.5;
const MAX_SENTENCES = 2;

/**
 * Whether a passage is so likely to answer a question that it can be quoted without a model that reads it: the heading
 * is about most of the question, the passage mentions nearly all of it, or the question most of the heading.
 */
export function isQuotable({ coverage, headingCoverage, matched, passage }: PassageMatch, question: string): boolean {
  const isUnderTitle = passage.heading === passage.title;
  if (matched >= 2 && !isUnderTitle && asksFor(passage, question)) return true;
  if (coverage < (isUnderTitle ? MIN_UNDER_TITLE : MIN_COVERAGE)) return false;
  if (headingCoverage >= 0.6 || (headingCoverage >= 0.3 && matched >= 2) || (coverage >= 0.7 && matched >= 3))
    return true;
  return matched >= 2 && beginsWithAll(passage, question);
}

/** Whether a sentence begins with all words of a question that the title does not say: "Who is the office manager?" */
function beginsWithAll({ title = '', text, language }: Passage, question: string): boolean {
  const named = termsOf(title, language);
  const asked = new Set(termsOf(question, language).filter((term) => !named.includes(term)));
  return sentencesOf(text).some((sentence) => shareOf(asked, termsOf(sentence, language).slice(0, asked.size)) === 1);
}

/** Whether a question that says more than a heading has at least two words of it, which are most of it. */
function asksFor({ heading, language }: Passage, question: string): boolean {
  const title = new Set(termsOf(heading.split(' › ').at(-1)!, language));
  const share = shareOf(title, termsOf(question, language));
  return title.size > 1 && share >= MIN_OF_HEADING && share * title.size >= 2;
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

/** What a passage that was just quoted says about a further question: its sentences that mention most of it, if any. */
export function sentencesAbout({ text, language }: Passage, question: string): string | undefined {
  const terms = new Set(termsOf(question, language));
  const sentences = sentencesOf(text);
  const shares = sentences.map((sentence) => shareOf(terms, termsOf(sentence, language)));
  const most = Math.max(...shares);
  if (terms.size === 0 || most < MIN_SHARE) return undefined;
  const said = sentences.filter((_, at) => shares[at] === most).slice(0, MAX_SENTENCES);
  return said.map((sentence) => sentence.trim()).join(' ');
}

/** Whether a passage answers a further question: most of its heading was spoken of before, and it says most of what is asked now. */
export function continues({ heading, text, language }: Passage, question: string, before: string): boolean {
  const about = new Set(termsOf(question, language));
  const title = new Set(termsOf(heading, language));
  const isOnTopic = shareOf(title, termsOf(before, language)) > HALF;
  return isOnTopic && about.size > 0 && shareOf(about, [...title, ...termsOf(text, language)]) >= MIN_SHARE;
}

function shareOf(terms: ReadonlySet<string>, said: readonly string[]): number {
  return [...terms].filter((term) => said.includes(term)).length / terms.size;
}
