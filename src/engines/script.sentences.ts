import { fold, rewritten, Word, wordsOf } from './script.words.js';
import { OPENERS, Terms, TermWeights } from './script.terms.js';

/** A sentence of a request, ready to be compared. */
export interface Sentence {
  readonly text: string;
  readonly words: readonly Word[];
  readonly terms: TermWeights;
  readonly asks: boolean;
}

/** Behind each mark that ends a sentence: not the point of `3.5`. */
const SENTENCE_END = /(?<=[!?…。！？؟।\n]|\.(?!\d))/u;
const QUESTION_MARK = /[?？؟]\s*$/u;
const MOST_SENTENCES = 8;
const MOST_WORDS = 120;

/**
 * The sentences of a request: those at its end if there are many, for there the question is.
 *
 * @param name the avatar's, which says nothing about what is asked
 */
export function sentencesOf(request: string, language: Terms, name = ''): Sentence[] {
  return request
    .split(SENTENCE_END)
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .slice(-MOST_SENTENCES)
    .map((text) => sentenceOf(text, language, name))
    .filter(({ words }) => words.length > 0);
}

/** A text as one sentence. */
export function sentenceOf(text: string, language: Terms, name = ''): Sentence {
  const words = withoutName(rewritten(wordsOf(text, MOST_WORDS), language.rewrites), fold(name));
  const asks = QUESTION_MARK.test(text) || language.asks(words);
  return { text, words, terms: language.ofWords(words), asks };
}

/** The parts between commas of a sentence that has some: in "I'm a vegetarian, what can I cook?" one asks. */
export function clausesOf({ text }: Sentence, language: Terms): Sentence[] {
  const parts = text.split(/[,;:]\s/u).filter((part) => part.trim() !== '');
  return parts.length < 2 ? [] : parts.slice(-MOST_SENTENCES).map((part) => sentenceOf(part, language));
}

/** Words without the name of the one who is spoken to: `Ada, why …`, `hi Ada`, `…, Ada?`. */
function withoutName(words: readonly Word[], name: string): readonly Word[] {
  const at = words.findIndex(({ text }) => text === name);
  const isSpokenTo =
    at === 0 || (at === 1 && OPENERS.has(words[0]!.text)) || words[at]?.clause !== words[at - 1]?.clause;
  return at < 0 || !isSpokenTo || words.length === 1 ? words : words.filter((_, index) => index !== at);
}
