import { FIRST_NAMES } from './first-names.js';
import { Sentence } from './sentences.js';
import { Word, writtenAs } from './words.js';

const list = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Said with one's name and nothing else, in any language: "Laura, encantada". */
const WELCOMING = list(
  'soy yo encantado encantada mucho gusto placer un hola buenas pleased nice to meet you freut mich angenehm',
);
/** Ask for a name, in any language. */
const ASKS_NAME = /\b(?:te llamas|tu nombre|cómo te llamo|your name|call you|heißt du|dein name)(?!\p{L})/iu;
/** Says the avatar's own name, before a question: "Me llamo Ada. ¿Y tú?". */
const SAYS_NAME = /\b(?:me llamo|my name is|ich heiße)(?!\p{L})/iu;
const CAPITAL = /^\p{Lu}\p{Ll}+$/u;
const AND = list('y and und');
const YOU = list('tu usted vos you du sie');
/** In words, behind "and you": "y tú cómo te llamas". */
const MOST_BEHIND = 3;

/** The name that is all that is said, with or without a word of welcome, or as a reply to a question for it. */
export function nameAlone({ words, text }: Sentence, last = ''): string | undefined {
  const rest = words.filter((word) => !WELCOMING.has(word.text));
  const [name] = rest;
  if (rest.length !== 1 || !name) return undefined;
  const written = writtenAs(text, [name]);
  const isAsked = ASKS_NAME.test(last) || (SAYS_NAME.test(last) && last.endsWith('?'));
  const isKnown = FIRST_NAMES.has(name.text);
  if (rest.length < words.length) return isKnown ? written : undefined;
  return isAsked && (isKnown || CAPITAL.test(written)) ? written : undefined;
}

/** A sentence without the question behind it that only returns one: "me llamo Pepe, y tú?". */
export function withoutReturn(words: readonly Word[]): readonly Word[] | undefined {
  const at = words.findLastIndex(({ text }, index) => AND.has(text) && YOU.has(words[index + 1]?.text ?? ''));
  return at > 0 && words.length - at - 2 <= MOST_BEHIND ? words.slice(0, at) : undefined;
}
