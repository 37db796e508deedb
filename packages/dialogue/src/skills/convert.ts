import { Reply } from '../turn/choose.js';
import { Sentence } from '../text/sentences.js';
import { Turn } from '../turn/turn.js';
import { fold } from '../text/words.js';
import { numberOf, NUMBER_WORDS, shownNumber } from '../text/numbers.js';
import { languageOf, skillAnswer } from './skill.js';
import { Unit, UNIT_NAMES, UNITS } from './units.js';

interface Words {
  readonly between: ReadonlySet<string>;
  readonly lead: ReadonlySet<string>;
  readonly is: (from: string, to: string) => string;
}

const set = (words: string) => new Set(words.split(' '));
const WORDS: Readonly<Record<string, Words>> = {
  en: {
    lead: set('what is s convert how much many are there please can you tell me hey so ok then and'),
    between: set('in into to as is are there a an make makes of equal equals the degrees degree'),
    is: (from, to) => `${from} is ${to}.`,
  },
  de: {
    lead: set(
      'was ist is sind wie viel viele wieviel wieviele rechne wandle um bitte kannst du mir sagen und ergibt hat haben',
    ),
    between: set('in zu nach sind ist ein eine einem einer hat haben grad um gibt es der das die'),
    is: (from, to) => `${from} sind ${to}.`,
  },
  es: {
    lead: set('que cuanto cuantos cuantas cuanta es son convierte convertir pasa pasar por favor puedes decirme y hay'),
    between: set('en a son es hay un una tiene equivale equivalen grados grado de el la'),
    is: (from, to) => `${from} son ${to}.`,
  },
};

const HALF = set('half halb halbe halber halbes medio media');
const TOKEN = /\d+(?:[.,]\d+)*|[\p{L}°]+/gu;
const MOST_TOKENS = 16;

interface Amount {
  readonly value?: number;
  readonly unit: Unit;
}

/** Conversions of units: `5 miles in km`, `how many cups are in a litre`. */
export function convert(turn: Turn, { text }: Sentence): Reply | undefined {
  const language = languageOf(turn);
  const words = WORDS[language];
  if (!words) return undefined;
  const spoken = (text.match(TOKEN) ?? []).map((token) => fold(token.replace('°', '')));
  if (spoken.length > MOST_TOKENS) return undefined;
  const amounts: Amount[] = [];
  let value: number | undefined;
  for (let at = 0; at < spoken.length;) {
    const number = numberOf(spoken.slice(at, at + 4), NUMBER_WORDS[language]!, language);
    const unit = UNIT_NAMES[language]!.get(spoken[at]!);
    if (unit) {
      amounts.push({ value, unit: UNITS[unit]! });
      value = undefined;
      at++;
    } else if (HALF.has(spoken[at]!) && UNIT_NAMES[language]!.has(spoken[at + 1] ?? '')) {
      value = 0.5;
      at++;
    } else if (number) {
      value = number.value;
      at += number.words;
    } else if (words.lead.has(spoken[at]!) || words.between.has(spoken[at]!) || spoken[at] === '') at++;
    else return undefined;
  }
  const [first, second] = amounts;
  if (!first || !second || amounts.length > 2 || first.unit.kind !== second.unit.kind) return undefined;
  // "5 miles in km", "how many km are 5 miles", "how many cups are in a litre".
  const isReversed = first.value === undefined;
  const [from, to] = isReversed ? [second, first] : [first, second];
  const amount = from.value ?? 1;
  const result = to.unit.fromBase(from.unit.toBase(amount));
  const shown = (number: number, unit: Unit) => `${shownNumber(number, language)} ${unit.sign}`;
  return skillAnswer('convert', words.is(shown(amount, from.unit), shown(Number(result.toPrecision(4)), to.unit)));
}
