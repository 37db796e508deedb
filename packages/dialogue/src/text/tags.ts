import { Word } from './words.js';

const phrases = (text: string): readonly (readonly string[])[] => text.split(', ').map((one) => one.split(' '));

/** End a statement that asks whether it is right, in any language. */
const ANYWHERE = phrases(
  'innit, is not it, are not they, are not you, is not he, is not she, does not it, do not they, does not he, does not she, was not it, do not you think, will not it, can not you, ' +
    'oder nicht, oder, gell, nicht wahr, stimmts, stimmt s, oder was, a que si, no crees, no es verdad, no es cierto, no es asi',
);
/** Do so only behind a comma. */
const BEHIND_COMMA = phrases('right, correct, true, yeah, no, huh, eh, ne, nicht, richtig, ja, verdad, cierto, si');
/** One word more than the longest. */
export const MOST_TAG_WORDS = 5;
const LEAST_WORDS = 2;

/** How many words at the end of a statement ask whether it is right: `the sun is a star, isn't it`. */
export function tagOf(words: readonly Word[], isAsked: boolean): number {
  const endsWith = (tag: readonly string[]) =>
    words.length >= tag.length + LEAST_WORDS &&
    tag.every((text, at) => words[words.length - tag.length + at]!.text === text);
  const tag = ANYWHERE.find(endsWith) ?? (isAsked ? BEHIND_COMMA.find(endsWith) : undefined);
  if (!tag) return 0;
  const first = words[words.length - tag.length]!;
  const isApart = first.clause !== words[words.length - tag.length - 1]!.clause;
  return isApart || ANYWHERE.includes(tag) ? tag.length : 0;
}

/** Whether a clause says nothing else: `isn't it`. */
export function isTag(words: readonly Word[]): boolean {
  const said = words.map(({ text }) => text).join(' ');
  return [...ANYWHERE, ...BEHIND_COMMA].some((tag) => tag.join(' ') === said);
}
