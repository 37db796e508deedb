import { QUESTION_WORDS, Sentence, sentenceOf } from '../text/sentences.js';
import { contentOf, Terms } from '../text/terms.js';
import { SURE } from '../match/scores.js';
import { Turn } from '../turn/turn.js';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));
/** Greetings, in any language, and the two words of some: `guten Abend`. */
const GREETINGS = words(
  'hi hii hey heya hello hiya howdy morning evening hallo hallihallo huhu moin servus tach nabend hola holi ola buenas ey',
);
const GOOD = words('good guten guter gute buenos buenas grub gruss');
const DAYS = words('morning afternoon evening day morgen tag abend dias tardes noches gott dich');
const LEAST_WORDS = 2;

/** What is said behind a greeting, if that is more than a word: "hi, there's a thunderstorm outside". */
export function withoutGreeting(sentence: Sentence, language: Terms, name: string): Sentence {
  const { words: spoken, text } = sentence;
  let from = 0;
  while (from < spoken.length) {
    const { text: word } = spoken[from]!;
    if (GOOD.has(word) && DAYS.has(spoken[from + 1]?.text ?? '')) from += 2;
    else if (
      GREETINGS.has(word) ||
      (from > 0 && word === 'there') ||
      (word === 'yo' && language.language.startsWith('en'))
    )
      from++;
    else break;
  }
  const rest = spoken.slice(from);
  if (from === 0 || rest.length < LEAST_WORDS) return sentence;
  const without = sentenceOf(text.slice(rest[0]!.start), language, name);
  // "Good night, I get up early" goes.
  const isGoing = spoken[from - 1]!.text === 'noches' && !without.asks && !without.terms.shape?.isNegated;
  return contentOf(without.terms).length > 0 && !isGoing ? without : sentence;
}

/** "Any ideas?" */
export function isBareQuestion({ knowledge }: Turn, { words: spoken, text }: Sentence): boolean {
  return knowledge.set('bare').best(spoken, text) !== undefined;
}

/** Without "Any ideas?" behind a statement, which says what it is about: a request for something then. */
export function withoutBareQuestion(turn: Turn, sentences: Sentence[]): Sentence[] {
  const { terms } = turn.knowledge;
  const isBare = (one: Sentence) => isBareQuestion(turn, one);
  const last = sentences.at(-1);
  const before = sentences.slice(0, -1);
  if (last && isBare(last)) return before.some((one) => contentOf(one.terms).length > 1) ? before : sentences;
  const at = last ? bareWithin(turn, last) : -1;
  if (!last || at < 0) return sentences;
  const rest = sentenceOf(last.text.slice(0, at), terms);
  const asked = { ...rest, terms: terms.ofWords(rest.words, true), asks: true, asksFor: true };
  return contentOf(rest.terms).length > 0 ? [...before, asked] : sentences;
}

/** Where such a question begins behind a comma, or without one: "I've got pasta and an onion what can I do". */
function bareWithin(turn: Turn, { text, words: spoken, terms }: Sentence): number {
  const comma = text.lastIndexOf(', ');
  if (comma >= 0 && isBareQuestion(turn, sentenceOf(text.slice(comma + 1), turn.knowledge.terms))) return comma;
  const first = spoken.findIndex(
    ({ text: word }, at) =>
      at > LEAST_WORDS &&
      QUESTION_WORDS.has(word) &&
      turn.knowledge.set('bare').best(spoken.slice(at), text) !== undefined,
  );
  // What stands among the examples is asked as it is.
  return first < 0 || (turn.knowledge.intents.best(terms)?.score ?? 0) >= SURE ? -1 : spoken[first]!.start;
}
