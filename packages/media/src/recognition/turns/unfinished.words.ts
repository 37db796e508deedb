/**
 * Last words after which a sentence goes on, and those after which it may also end, by language. A model of sound hears
 * some sentences that stop at such a word as complete.
 */
const WORDS: Readonly<Record<string, readonly [open: string, possible: string]>> = {
  en: [
    'a an the and or but because if than my your our their every um uh er erm',
    'at by for from into of to with be been i his who more rather very',
  ],
  de: [
    'ein eine einen einem einer und oder aber weil dass wenn im am vom zum zur beim mein meine dein deine äh ähm',
    'der die den dem des für von über sehr',
  ],
  es: ['el un una los las y o pero porque mi tu su del al eh', 'la lo que de a en con por para sin muy'],
  fr: [
    'le les un une des et ou mais parce car mon ma mes ton ta tes notre votre du au aux euh',
    'la de que à en dans avec pour sur sans très',
  ],
  pt: ['o os um uma e ou mas porque meu minha seu sua do da dos das no na ao', 'a as que de em com por para sem muito'],
};
const SETS = new Map(
  Object.entries(WORDS).map(([code, words]) => [code, words.map((some) => new Set(some.split(' ')))]),
);
/** Digits, in all of these languages. */
const DIGITS = new Set(
  (
    'two three four five six seven eight nine zero eins zwei drei vier fünf sechs sieben acht neun null uno dos tres ' +
    'cuatro cinco seis siete ocho nueve cero deux trois quatre cinq six sept huit neuf zéro dois três quatro sete oito nove'
  ).split(' '),
);
/** Silence after a last word with which a sentence may also end, and after a digit. */
const [POSSIBLE_MS, DIGIT_MS] = [2000, 1200];

/**
 * @param text a transcript, with punctuation or without
 * @param language_code such as `en` or `pt-BR`
 * @returns milliseconds of silence after which it has ended, as far as its last word tells: 0 at once, Infinity if more is bound to follow
 */
export function silenceAfter(text: string, language_code: string): number {
  const last =
    text
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}'’]+/gu)
      ?.at(-1) ?? '';
  const [open, possible] = SETS.get(language_code.split(/[-_]/, 1)[0]!.toLowerCase()) ?? [];
  if (open?.has(last)) return Infinity;
  if (/[?？]$/.test(text)) return 0;
  if (possible?.has(last) || /[,;:–-]$/.test(text)) return POSSIBLE_MS;
  return DIGITS.has(last) || /\p{N}/u.test(last) ? DIGIT_MS : 0;
}
