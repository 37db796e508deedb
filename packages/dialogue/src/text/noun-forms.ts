/** From this length on a name may have more endings. */
const LONG_NAME = 5;
const MOST_ENDING = 3;
/** Endings of nouns, by language; of short names only the first. `Lavar` has the stem of `lava` alone. */
const ENDINGS: Readonly<Record<string, readonly [string, string]>> = {
  de: [' n en s es', ' e n en s es ns sen se nen'],
  en: [' s es', ' s es y ies f fe ves'],
  es: [' s es', ' s es z ces'],
};

/** Whether a word is another with the ending of a noun. */
export function isNounForm(word: string, name: string, language: string): boolean {
  let same = 0;
  while (same < name.length && word[same] === name[same]) same++;
  const isShort = name.length < LONG_NAME;
  const endings = ENDINGS[language.slice(0, 2)]?.[isShort ? 0 : 1].split(' ');
  const [left, added] = [name.slice(same), word.slice(same)];
  if (!endings) return left.length <= (isShort ? 0 : 1) && word.length <= name.length + MOST_ENDING;
  return endings.includes(added) && (isShort ? left === '' : endings.includes(left));
}
