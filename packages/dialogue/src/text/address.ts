import { Word } from './words.js';

const list = (words: string): ReadonlySet<string> => new Set(words.split(' '));
/** How one is called at the end of a greeting, of thanks or a goodbye, in any language: `thanks love`, `adiós, cariño`. */
const ADDRESS = list(
  'love dear darling sweetheart sweetie honey mate man sir young lady madam friend my buddy pal folks doll sunshine son ' +
    'liebe lieber liebes liebling schatz junger mann meine mein guter gute beste bester freund freundin kumpel ' +
    'carino guapa guapo joven amigo amiga cielo corazon maja majo bonita bonito hija hijo senora senor mi reina tesoro',
);
const CIVIL = list(
  'thanks you thx cheers ta bye goodbye night morning evening hello hi hey hiya later ' +
    'danke dank dir dankeschon merci tschuss wiedersehen nacht morgen abend tag hallo servus moin ' +
    'gracias adios hola noches dias tardes luego buenas pronto chao',
);
const MOST_WORDS = 3;

/** Words without what the one who is thanked or greeted is called. */
export function withoutAddress(words: readonly Word[]): readonly Word[] {
  let end = words.length;
  while (end > 1 && words.length - end < MOST_WORDS && ADDRESS.has(words[end - 1]!.text)) end--;
  if (end === words.length || !CIVIL.has(words[end - 1]!.text)) return words;
  // "I love you, dear", not "I thank you".
  const isYou = words[end - 1]!.text === 'you';
  return isYou && words[end - 2]?.text !== 'thank' ? words : words.slice(0, end);
}
