import { Word } from './words.js';

const list = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Questions begin with these. */
const ASKING = list(
  'que cual cuales como cuando cuanto cuanta cuantos cuantas donde adonde quien quienes y si pero a de en por para con desde hasta',
);
/** Behind these a noun may stand before the verb: `cuántas lunas tiene`. */
const COUNTING = list('que cuanto cuanta cuantos cuantas');
const FIRST_VERBS = list(
  'es son esta estan era eran fue puede pueden podria podrian tiene tienen tuvo necesita necesitan sirve sirven vale debe deben tarda tardan dura duran se',
);
const COPULAS = list('es son esta estan era eran fue queda quedan sale salen');
const PREPOSITIONS = list('a al de del en con por para sin sobre desde hasta entre');
const DETERMINERS = list(
  'el la los las un una unos unas mi tu su mis tus sus este estos estas ese esos nuestro nuestra',
);
/** Behind a determiner these are no noun: `cuál es el más grande`. */
const COMPARING = list('mas menos mismo misma');
const CLITICS = list('lo la los las');
/** Never articles. */
const DATIVES = list('le les');
const BESIDES = list('se no ya tambien tan muy me te lo la los las le les');
const SOMEONE = list('alguno alguna ninguno ninguna algunos algunas');
/** "¿Es verdad?" is about what was said, and names no thing. */
const IMPERSONAL = list('verdad cierto que tarde pronto hora pasa tal dia llueve nieva hay');
/** Feminine nouns in -o. */
const NOUNS = list('mano foto moto radio');
/** `congelarla`, `guardárselo` */
const WITH_PRONOUN = /[aei]r(?:se)?l[oae]s?$/;
const INFINITIVE = /[aei]r$/;
/** Ends of verbs of the third person, and of the first behind a pronoun. */
const THIRD = /(?:n|a|e|io|to)$/;
const FIRST = /[^s]o$/;

/**
 * Where a Spanish sentence leaves out what it is about, or points to it by a pronoun: at its verb or that, `-1` if it
 * does not. `cuántas lunas tiene`, `por qué es tan grande`, `la podo`, `y congelarla`.
 */
export function leftOutIn(words: readonly Word[]): number {
  const texts = words.map(({ text }) => text);
  const pronoun = texts.findIndex((text, at) => isPronoun(text, texts[at + 1], texts[at - 1]));
  if (pronoun >= 0) return pronoun;
  if (namesSubject(texts)) return -1;
  let at = 0;
  while (at < texts.length && ASKING.has(texts[at]!)) at++;
  const counts = texts.slice(0, at).some((text) => COUNTING.has(text));
  if (at === 0 && !FIRST_VERBS.has(texts[0]!)) return -1;
  while (at < texts.length && BESIDES.has(texts[at]!)) at++;
  if (at > 0 && COPULAS.has(texts.at(-1)!)) return texts.length - 1;
  const [verb, ...rest] = texts.slice(at);
  if (verb === undefined || IMPERSONAL.has(verb)) return -1;
  const next = rest[0];
  if (COPULAS.has(verb)) {
    const isSaidOf = next !== undefined && !IMPERSONAL.has(next) && (rest.length <= 2 || PREPOSITIONS.has(rest[1]!));
    const isFirst = at === 0 || texts[at - 1] === 'si' || BESIDES.has(texts[at - 1]!) || BESIDES.has(next!);
    return next === undefined || PREPOSITIONS.has(next) || (isFirst && isSaidOf) ? at : -1;
  }
  if (at === 0) return IMPERSONAL.has(next ?? '') ? -1 : at;
  if (counts && rest.length === 1 && THIRD.test(next!) && !INFINITIVE.test(next!)) return at + 1;
  if (!THIRD.test(verb)) return -1;
  return next === undefined || next === 'que' || PREPOSITIONS.has(next) || INFINITIVE.test(next) ? at : -1;
}

function isPronoun(text: string, next = '', before = ''): boolean {
  if (SOMEONE.has(text)) return next === '' || PREPOSITIONS.has(next);
  if (text.length > 4 && WITH_PRONOUN.test(text)) return true;
  if (DETERMINERS.has(text) && COMPARING.has(next)) return true;
  if (next !== '' && (DATIVES.has(text) || (before === 'se' && CLITICS.has(text)))) return true;
  return CLITICS.has(text) && !PREPOSITIONS.has(before) && FIRST.test(next) && !NOUNS.has(next);
}

/** Whether a determiner stands before a noun that is neither behind a preposition nor the verb's own. */
function namesSubject(texts: readonly string[]): boolean {
  return texts.some(
    (text, at) =>
      DETERMINERS.has(text) && texts[at + 1] !== undefined && !PREPOSITIONS.has(texts[at - 1] ?? '') && text !== 'se',
  );
}
