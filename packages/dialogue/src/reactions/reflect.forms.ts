import { germanVerb } from './reflect.de.js';
import { spanishVerb } from './reflect.es.js';
import type { SecondPerson, Spoken } from '../text/second-person.js';
import type { Terms } from '../text/terms.js';
import { Word, wordsOf } from '../text/words.js';

/** What words of a statement become when it is said to whom it is about, by their places; undefined if that is unknown. */
type TurnVerbs = (spoken: readonly Spoken[], forms: SecondPerson) => ReadonlyMap<number, string> | undefined;

const VERBS: Readonly<Record<string, TurnVerbs>> = { en: englishVerb, de: germanVerb, es: spanishVerb };
const MOST_WORDS = 40;

/** A statement of the first person in the second: "I've lost my job" as "you've lost your job". */
export function secondPerson(text: string, { language, secondPerson: forms }: Terms): string | undefined {
  const verbs = VERBS[language.slice(0, 2)];
  if (!verbs || forms.words.size === 0) return undefined;
  const words = wordsOf(text, MOST_WORDS);
  const spoken = words.map(({ start, end, clause }) => {
    const written = text.slice(start, end).replace(/[’ʼ]/gu, "'");
    return { text: written.toLowerCase(), clause, isCapital: /^\p{Lu}/u.test(written) };
  });
  const turned = verbs(spoken, forms);
  if (!turned) return undefined;
  return replaced(text, words, (index) => turned.get(index) ?? forms.words.get(spoken[index]!.text));
}

function replaced(text: string, words: readonly Word[], by: (index: number) => string | undefined): string | undefined {
  let result = '';
  let last = 0;
  let isOther = false;
  for (const [index, { start, end }] of words.entries()) {
    const other = by(index);
    if (other === undefined) continue;
    isOther = true;
    result += text.slice(last, start) + other;
    last = end;
  }
  return isOther ? result + text.slice(last) : undefined;
}

const SUBJECT_EN = 'i';
const LINKS_EN = new Set(['and', 'but', 'or', 'then']);
/** May stand between `I` and its verb. */
const MOST_BETWEEN_EN = 2;
const OTHER_SUBJECTS_EN = new Set('he she it they this that there who which we'.split(' '));

/** Only `am` and `was` differ, next to `I`; of `was` elsewhere, someone else is the subject. */
function englishVerb(spoken: readonly Spoken[], { verbs }: SecondPerson): ReadonlyMap<number, string> {
  const turned = new Map<number, string>();
  for (const [index, { text }] of spoken.entries()) {
    const other = verbs.get(text);
    if (other === undefined) continue;
    const before = spoken.slice(Math.max(0, index - 1 - MOST_BETWEEN_EN), index).map((word) => word.text);
    const at = before.lastIndexOf(SUBJECT_EN);
    const isNear = at >= 0 && !before.slice(at + 1).some((word) => OTHER_SUBJECTS_EN.has(word));
    const isLinked =
      LINKS_EN.has(before.at(-1) ?? '') && spoken.slice(0, index).some((word) => word.text === SUBJECT_EN);
    if (isNear || isLinked || spoken[index + 1]?.text === SUBJECT_EN) turned.set(index, other);
  }
  return turned;
}
