import type { Passage } from '../passages/passages.js';
import { OTHER_LANGUAGE } from '../text/languages.js';
import { termsOf } from '../text/terms.js';
import { type Postings, PostingLists } from './posting.lists.js';
import { similarTerms } from './similar.terms.js';

/** Parameters of BM25: how soon repetition stops to count, and how much long passages are discounted. */
const K1 = 1.2;
const B = 0.75;
/** How many times a word in a heading counts. */
const HEADING_WEIGHT = 5;
/** What a word counts that only the document's title has: it is stored without a weight of its own. */
const TITLE_WEIGHT = 1;
/** What a similar word counts, compared with the word itself. */
const SIMILAR_WEIGHT = 0.6;
/** Preference for passages in the language of the question. */
const SAME_LANGUAGE = 1.6;
/** What is left of the score of a passage that mentions hardly anything of the question. */
const COVERAGE_BASE = 0.6;
const MAX_TERMS = 64;
/** In a smaller base, a word that does not occur says no more than in this one. */
const MIN_PASSAGES = 200;

/** A passage in an index. */
export interface IndexedPassage extends Passage {
  readonly document_id: string;
}

export interface PassageMatch {
  readonly passage: IndexedPassage;
  readonly score: number;
  /** From 0 to 1: the share of what the question is about that the passage, or its document's title, mentions; rare words count more. */
  readonly coverage: number;
  /** The same for its heading alone, of what the title does not say. */
  readonly headingCoverage: number;
  /** Number of the question's words that it mentions, the title aside. */
  readonly matched: number;
}

/** Full-text search over passages by BM25, in each passage's own language. Documents are added and removed one by one. */
export class PassageIndex {
  private passages: (IndexedPassage | undefined)[] = [];
  private lengths: number[] = [];
  private readonly languages = new Map<string, PostingLists>();
  private removed = 0;

  /** Number of passages. */
  get size(): number {
    return this.passages.length - this.removed;
  }

  add(document_id: string, passages: Iterable<Passage>): void {
    for (const passage of passages) {
      const at = this.passages.push({ document_id, ...passage }) - 1;
      const heading = termsOf(passage.heading, passage.language);
      const text = termsOf(passage.text, passage.language);
      const words = heading.length + text.length;
      this.lengths.push(words);
      const lists = this.count(passage.language, 1, words);
      const weights = new Map<string, number>();
      for (const term of heading) weights.set(term, (weights.get(term) ?? 0) + HEADING_WEIGHT);
      const inHeading = new Set(heading);
      for (const term of text) weights.set(term, (weights.get(term) ?? 0) + 1);
      for (const term of termsOf(passage.title ?? '', passage.language)) if (!weights.has(term)) weights.set(term, 0);
      for (const [term, weight] of weights) lists.add(term, at, weight, inHeading.has(term));
    }
  }

  remove(document_id: string): void {
    this.passages.forEach((passage, at) => {
      if (passage?.document_id !== document_id) return;
      this.count(passage.language, -1, -this.lengths[at]!);
      this.passages[at] = undefined;
      this.removed++;
    });
    // Passages that are gone still take time and memory.
    if (this.removed > this.size) this.compact();
  }

  /** The best matches, best first; among these documents, if given, and rather in the language of the question. */
  search(
    question: string,
    { limit, language, among }: { limit: number; language?: string; among?: Pick<ReadonlySet<string>, 'has'> },
  ): PassageMatch[] {
    const count = this.passages.length;
    const scores = new Float64Array(count);
    const covered = new Float32Array(count);
    const inHeading = new Float32Array(count);
    const inTitle = new Float32Array(count);
    const matched = new Uint8Array(count);
    const found: PassageMatch[] = [];
    for (const [code, all] of this.languages) {
      const terms = [...new Set(termsOf(question, code))].slice(0, MAX_TERMS);
      if (all.passages === 0 || terms.length === 0) continue;
      const touched: number[] = [];
      const meanLength = all.words / all.passages;
      const preference = code === language ? SAME_LANGUAGE : 1;
      let total = 0;
      for (const term of terms) {
        const { lists, weight } = listsFor(code, term, all);
        const frequency = lists.reduce((sum, { length }) => Math.max(sum, length), 0);
        const idf = Math.log(1 + (Math.max(all.passages, MIN_PASSAGES) - frequency + 0.5) / (frequency + 0.5));
        total += idf;
        const counted = new Set<number>();
        for (const list of lists) {
          for (let next = 0; next < list.length; next++) {
            const at = list.passage(next);
            if (!this.passages[at] || (lists.length > 1 && counted.has(at))) continue;
            if (lists.length > 1) counted.add(at);
            const own = list.weight(next);
            const tf = own || TITLE_WEIGHT;
            const norm = K1 * (1 - B + (B * this.lengths[at]!) / meanLength);
            if (covered[at] === 0) touched.push(at);
            if (own > 0) matched[at]!++;
            else inTitle[at]! += weight * idf;
            scores[at]! += preference * weight * idf * ((tf * (K1 + 1)) / (tf + norm));
            covered[at]! += weight * idf;
            if (list.isInHeading(next)) inHeading[at]! += weight * idf;
          }
        }
      }
      // Of two with equal scores, the better one mentions more of the question.
      for (const at of touched) scores[at]! *= COVERAGE_BASE + (1 - COVERAGE_BASE) * (covered[at]! / total);
      const searched = among ? touched.filter((at) => among.has(this.passages[at]!.document_id)) : touched;
      for (const at of best(searched, scores, limit))
        found.push({
          passage: this.passages[at]!,
          score: scores[at]!,
          coverage: covered[at]! / total,
          headingCoverage: inHeading[at]! && inHeading[at]! / (total - inTitle[at]!),
          matched: matched[at]!,
        });
    }
    return found.sort((a, b) => b.score - a.score).slice(0, limit);
  }

  private count(language: string, passages: number, words: number): PostingLists {
    const lists = this.languages.get(language) ?? new PostingLists(language === 'de');
    lists.passages += passages;
    lists.words += words;
    this.languages.set(language, lists);
    return lists;
  }

  private compact(): void {
    const places = new Map<number, number>();
    this.passages.forEach((passage, at) => passage && places.set(at, places.size));
    for (const lists of this.languages.values()) lists.renumber(places);
    this.lengths = this.lengths.filter((_, at) => places.has(at));
    this.passages = this.passages.filter((passage) => passage !== undefined);
    this.removed = 0;
  }
}

function listsFor(language: string, term: string, all: PostingLists): { lists: Postings[]; weight: number } {
  const list = all.get(term);
  if (list) return { lists: [list], weight: 1 };
  if (language === OTHER_LANGUAGE || language === 'zh') return { lists: [], weight: 0 };
  return { lists: similarTerms(term, all).map((other) => all.get(other)!), weight: SIMILAR_WEIGHT };
}

/** Those of these with the highest scores. */
function best(touched: readonly number[], scores: Float64Array, limit: number): number[] {
  const top: number[] = [];
  for (const at of touched) {
    if (top.length === limit && scores[at]! <= scores[top.at(-1)!]!) continue;
    let place = top.length;
    while (place > 0 && scores[top[place - 1]!]! < scores[at]!) place--;
    top.splice(place, 0, at);
    if (top.length > limit) top.pop();
  }
  return top;
}
