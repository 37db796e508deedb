import { fold } from '../text/words.js';
import { evaluate } from './arithmetic.js';
import { numberOf, NUMBER_WORDS, shownNumber } from '../text/numbers.js';

interface Words {
  /** What may stand before a calculation. */
  readonly lead: ReadonlySet<string>;
  /** Words for operators; those of several words first. */
  readonly operators: readonly (readonly [words: string, operator: string])[];
}

const set = (words: string) => new Set(words.split(' '));
const WORDS: Readonly<Record<string, Words>> = {
  en: {
    lead: set(
      'what whats is s the result of calculate compute how much are can you tell me please and makes equals hey so ok then do the sum',
    ),
    operators: [
      ['square root of', 'sqrt'],
      ['multiplied by', '*'],
      ['divided by', '/'],
      ['to the power of', '^'],
      ['% of', '%*'],
      ['percent of', '%*'],
      ['per cent of', '%*'],
      ['half of', '0.5*'],
      ['a third of', '1/3*'],
      ['a quarter of', '0.25*'],
      ['twice', '2*'],
      ['squared', '^2'],
      ['cubed', '^3'],
      ['plus', '+'],
      ['and', '+'],
      ['minus', '-'],
      ['less', '-'],
      ['times', '*'],
      ['over', '/'],
      ['percent', '%'],
      ['x', '*'],
    ],
  },
  de: {
    lead: set(
      'was ist is sind ergibt macht das ergebnis von rechne rechnen berechne wie viel wieviel kannst du mir sagen bitte und die dann mal aus teile teil',
    ),
    operators: [
      ['quadratwurzel aus', 'sqrt'],
      ['quadratwurzel von', 'sqrt'],
      ['wurzel aus', 'sqrt'],
      ['wurzel von', 'sqrt'],
      ['multipliziert mit', '*'],
      ['geteilt durch', '/'],
      ['dividiert durch', '/'],
      ['% von', '%*'],
      ['prozent von', '%*'],
      ['die halfte von', '0.5*'],
      ['hoch', '^'],
      ['zum quadrat', '^2'],
      ['plus', '+'],
      ['und', '+'],
      ['minus', '-'],
      ['weniger', '-'],
      ['mal', '*'],
      ['durch', '/'],
      ['prozent', '%'],
      ['x', '*'],
    ],
  },
  es: {
    lead: set(
      'que cuanto cual es son da el resultado de calcula calcular puedes decirme por favor y la hace dime suma',
    ),
    operators: [
      ['raiz cuadrada de', 'sqrt'],
      ['multiplicado por', '*'],
      ['dividido por', '/'],
      ['dividido entre', '/'],
      ['elevado a la', '^'],
      ['elevado a', '^'],
      ['% de', '%*'],
      ['por ciento de', '%*'],
      ['la mitad de', '0.5*'],
      ['al cuadrado', '^2'],
      ['mas', '+'],
      ['y', '+'],
      ['menos', '-'],
      ['por', '*'],
      ['entre', '/'],
      ['por ciento', '%'],
      ['x', '*'],
    ],
  },
};

const NO_WORDS: Words = { lead: new Set(), operators: [['x', '*']] };
const NO_NUMBERS: ReadonlyMap<string, number> = new Map();

const TOKEN = /\d+(?:[.,]\d+)*|\p{L}+|[-+*/^()%×·÷:−√=?!]/gu;
const SYMBOLS: Readonly<Record<string, string>> = { '×': '*', '·': '*', '÷': '/', ':': '/', '−': '-', '√': 'sqrt' };
const SIGNS = /[-+*/^]/;
const THEN = set('then dann luego despues');
const MOST_TOKENS = 60;
const MOST_CHARACTERS = 200;

/**
 * Small calculations, in digits or words: `what is twelve times 7`. Words are known in English, German and Spanish.
 *
 * @returns undefined if a text is no calculation, null if it has no result
 */
export function calculate(text: string, code: string): string | null | undefined {
  if (text.length > MOST_CHARACTERS) return undefined;
  const language = code.slice(0, 2);
  const found = expressionIn(text, language, WORDS[language] ?? NO_WORDS);
  const result = found && evaluate(found);
  if (result === undefined) return undefined;
  return Number.isFinite(result) ? `${shownExpression(found!, language)} = ${shownNumber(result, language)}` : null;
}

/** The tokens of a sentence that is a calculation and nothing else; undefined if it is not. */
function expressionIn(text: string, language: string, { lead, operators }: Words): string[] | undefined {
  const spoken = (text.match(TOKEN) ?? []).filter((token) => !/[=?!]/.test(token)).map(fold);
  if (spoken.length > MOST_TOKENS) return undefined;
  const tokens: string[] = [];
  let numbers = 0;
  let operations = 0;
  // "3 meals times 7 days": what is counted, once behind each number.
  let counted = false;
  let mayCount = false;
  for (let at = 0; at < spoken.length;) {
    const rest = spoken.slice(at, at + 5);
    const number = numberOf(rest, NUMBER_WORDS[language] ?? NO_NUMBERS, language);
    const operator = operators.find(([said]) => said.split(' ').every((word, index) => rest[index] === word));
    if (number) {
      tokens.push(String(number.value));
      numbers++;
      mayCount = true;
      at += number.words;
    } else if (/^[-+*/^()%×·÷:−√]$/.test(rest[0]!) && !operator) {
      tokens.push(SYMBOLS[rest[0]!] ?? rest[0]!);
      if (!/[()]/.test(rest[0]!)) operations++;
      at++;
    } else if (operator && (tokens.length > 0 || /\d|sqrt/.test(operator[1]))) {
      tokens.push(...(operator[1].match(/sqrt|\d+(?:\.\d+)?|./g) ?? []));
      operations++;
      at += operator[0].split(' ').length;
    } else if (tokens.length === 0 && lead.has(rest[0]!)) at++;
    else if (tokens.length > 0 && lead.has(rest[0]!) && spoken.slice(at).every((word) => lead.has(word))) break;
    else if (THEN.has(rest[0]!)) at++;
    else if (mayCount && /^\p{L}{3,}$/u.test(rest[0]!)) {
      counted = true;
      mayCount = false;
      at++;
    } else return undefined;
  }
  if (counted && (numbers < 2 || tokens.includes('%') || SIGNS.test(text))) return undefined;
  return numbers > 0 && operations > 0 && tokens.length > 1 ? tokens : undefined;
}

function shownExpression(tokens: readonly string[], language: string): string {
  const signs: Readonly<Record<string, string>> = { '*': '×', '/': '÷', sqrt: '√', '-': '−' };
  const texts = tokens.map((token) =>
    /^\d/.test(token) ? shownNumber(Number(token), language) : (signs[token] ?? token),
  );
  return texts
    .join(' ')
    .replace(/([√(]) /g, '$1')
    .replace(/ ([)%])/g, '$1')
    .replace(/ \^ /g, '^');
}
