import { Sentence } from '../text/sentences.js';
import { Turn } from '../turn/turn.js';
import { fold } from '../text/words.js';
import { MemoryWords } from './memory.words.js';

/** Words, in any language, that may name the same: each of the first ones and each of the others of a line. */
const AKIN: readonly (readonly [string, string])[] = [
  ['baby child kid newborn', 'daughter son'],
  ['dog puppy', 'pup dachshund labrador poodle terrier'],
  ['cat kitten', 'tomcat'],
  ['baby kind', 'tochter sohn'],
  ['hund welpe', 'dackel pudel labrador terrier dogge mops'],
  ['katze kätzchen', 'kater'],
  ['bebé niño niña', 'hija hijo nieta nieto'],
  ['perro perra perrito cachorro', 'labrador caniche'],
  ['gato gata gatito', 'felino'],
];

/** "My daughters name" is that of one. */
export function singular(said: string, { words }: Sentence, { relations }: MemoryWords): string {
  const one = said.slice(0, -1);
  return said.endsWith('s') && relations.includes(one) && words.some(({ text }) => text === 'name') ? one : said;
}

/** Whether two stems may name the same, as `baby` and `daughter`, but not `son` and `daughter`. */
export function mayBeSame({ knowledge: { terms } }: Turn, one: string, other: string): boolean {
  const stems = (words: string) => words.split(' ').map((word) => terms.stemOf(fold(word)));
  return AKIN.some(([wide, narrow]) => {
    const wides = stems(wide);
    const all = [...wides, ...stems(narrow)];
    return all.includes(one) && all.includes(other) && (wides.includes(one) || wides.includes(other));
  });
}
