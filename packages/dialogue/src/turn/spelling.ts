import { CompiledScript } from '../script/compiled.js';
import { KnowledgeBase } from '../script/knowledge-base.js';
import { FIRST_NAMES } from '../text/first-names.js';
import { isSlip } from '../text/typos.js';
import { wordsOf } from '../text/words.js';

const MOST_WORDS = 120;
const SHORTEST = 3;
const CAPITAL = /^\p{Lu}/u;
/** Who writes accents knows the word: `cuñado` is no `cuando`. */
const ACCENT = /[^ -~]/;

/**
 * A text with its common words as they are spelt: `insted of`, `becuase`, `kan ich`. They are in no index, so that an error
 * would make each a word that says something. What is known as it stands is no error, nor is a name.
 */
export function withCommonWords(text: string, { crisis }: CompiledScript, knowledge: KnowledgeBase): string {
  const { commonWords } = knowledge.terms;
  const isKnown = (word: string) =>
    commonWords.has(word) ||
    FIRST_NAMES.has(word) ||
    knowledge.intents.knows(knowledge.terms.stemOf(word)) ||
    knowledge.terms.isKnown(knowledge.terms.stemOf(word)) ||
    [crisis, knowledge.last].some(({ vocabulary }) => vocabulary.has(word));
  let mended = text;
  for (const word of wordsOf(text, MOST_WORDS).toReversed()) {
    const written = text.slice(word.start, word.end);
    const isName = word.start > 0 && CAPITAL.test(written);
    if (word.solo || word.text.length < SHORTEST || isName || ACCENT.test(written) || isKnown(word.text)) continue;
    const meant = [...commonWords].find((common) => isSlip(word.text, common));
    if (meant) mended = mended.slice(0, word.start) + meant + mended.slice(word.end);
  }
  return mended;
}
