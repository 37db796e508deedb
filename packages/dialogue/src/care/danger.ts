import { Match, RuleSet } from '../match/rule-set.js';
import { answerFrom } from '../conversation/choose.js';
import { MOST_WORDS, Reply, Turn } from '../conversation/turn.js';
import { CompiledScript } from '../script/compiled-script.js';
import { LanguageBook } from '../script/language-book.js';
import { isSlip } from '../text/typos.js';
import { rewritten, Word, wordsOf } from '../text/words.js';

/** From this length on a word may have a typing error. */
const LEAST_LETTERS = 5;
/** What is no danger, though it has words of it. */
const NO_DANGER = ['no_crisis', 'no_danger'];

/** Of these every language has an answer. */
const ANY_DANGER = ['emergency', 'crisis'];

/** Danger, and the script in whose language it is. */
interface Danger {
  readonly id: string;
  readonly script: CompiledScript;
}

/** What is said to danger in whatever language, in the language in which it was told. */
export function dangerReply(turn: Turn): Reply | undefined {
  const danger = dangerIn(turn);
  if (!danger) return undefined;
  const answer = answerFrom(new Turn(turn.said, danger.script, [], turn.now), danger.id);
  return answer === undefined ? undefined : { id: danger.id, answer, kind: 'care' };
}

/** The same in the language of the turn: for those that otherwise ask a model. */
export function dangerReplyInTurn(turn: Turn): Reply | undefined {
  const danger = dangerIn(turn);
  const id = danger && [danger.id, ...ANY_DANGER].find((one) => turn.script.answersOf(one).length > 0);
  const answer = id && answerFrom(turn, id);
  return answer === undefined ? undefined : { id: id!, answer, kind: 'care' };
}

/** The danger of which a request tells. */
function dangerIn(turn: Turn): Danger | undefined {
  const { script, others, request, words } = turn;
  const spoken = wordsOf(request, MOST_WORDS);
  // What is no danger in the language that is spoken is none in another.
  const isNone = () => NO_DANGER.some((id) => script.book.careSet(id).best(words, request));
  const unknown = unknownWords(turn);
  for (const read of [exactly, misspelt])
    for (const one of [script, ...others]) {
      const match = read(one.book, spoken, request, unknown);
      if (match && one !== script && isNone()) break;
      if (match) return { id: match.rule, script: one };
    }
  return undefined;
}

/** Danger in words of a language. */
function exactly(
  { danger, language }: LanguageBook,
  spoken: readonly Word[],
  request: string,
): Match<string> | undefined {
  return danger.best(rewritten(spoken, language.rewrites), request);
}

/** Danger in words of a language, of which those that nobody knows have a slip of the keys: another letter makes another word. */
function misspelt(
  { danger, language }: LanguageBook,
  spoken: readonly Word[],
  request: string,
  unknown: ReadonlySet<string>,
): Match<string> | undefined {
  if (unknown.size === 0) return undefined;
  let isChanged = false;
  const read = rewritten(spoken, language.rewrites).map((word) => {
    const isMeant = unknown.has(word.text) && !danger.vocabulary.has(word.text);
    const meant = isMeant ? nearest(danger, word.text) : undefined;
    isChanged ||= meant !== undefined;
    return meant ? { ...word, text: meant } : word;
  });
  return isChanged ? danger.best(read, request) : undefined;
}

/** The words of a request that neither the examples nor the danger of its language know. */
function unknownWords({ script, words }: Turn): ReadonlySet<string> {
  const { danger, language } = script.book;
  const isUnknown = (word: Word) =>
    word.text.length >= LEAST_LETTERS &&
    !danger.vocabulary.has(word.text) &&
    !language.known.has(word.text) &&
    ![...language.termsOf([word]).keys()].every((term) => script.knows(term));
  return new Set(words.filter(isUnknown).map(({ text }) => text));
}

function nearest({ vocabulary }: RuleSet<string>, text: string): string | undefined {
  for (const word of vocabulary)
    if (word[0] === text[0] && word.length >= LEAST_LETTERS && isSlip(text, word)) return word;
  return undefined;
}
