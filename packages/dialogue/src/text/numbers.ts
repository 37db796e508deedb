/** Words for numbers by language, folded. */
export const NUMBER_WORDS: Readonly<Record<string, ReadonlyMap<string, number>>> = {
  en: new Map([
    ...series(
      0,
      'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen',
    ),
    ...series(17, 'seventeen eighteen nineteen'),
    ...tens('twenty thirty forty fifty sixty seventy eighty ninety'),
    ['hundred', 100],
    ['thousand', 1000],
    ['million', 1_000_000],
  ]),
  de: germanNumbers(),
  es: new Map([
    ...series(0, 'cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis'),
    ...series(17, 'diecisiete dieciocho diecinueve veinte veintiuno veintidos veintitres veinticuatro veinticinco'),
    ...series(26, 'veintiseis veintisiete veintiocho veintinueve'),
    ...tens('veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa'),
    ['cien', 100],
    ['ciento', 100],
    ['doscientos', 200],
    ['quinientos', 500],
    ['mil', 1000],
  ]),
};

function series(first: number, words: string): [string, number][] {
  return words.split(' ').map((word, index) => [word, first + index]);
}

function tens(words: string): [string, number][] {
  return words.split(' ').map((word, index) => [word, 10 * (index + 2)]);
}

function germanNumbers(): ReadonlyMap<string, number> {
  const small = series(
    0,
    'null eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn',
  );
  const more = series(16, 'sechzehn siebzehn achtzehn neunzehn');
  const round = tens('zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig');
  const units = series(1, 'ein zwei drei vier funf sechs sieben acht neun');
  const joined = round.flatMap(([ten, value]) =>
    units.map(([unit, one]): [string, number] => [`${unit}und${ten}`, value + one]),
  );
  const large: [string, number][] = [
    ['hundert', 100],
    ['einhundert', 100],
    ['tausend', 1000],
    ['eintausend', 1000],
  ];
  return new Map([...small, ...more, ...round, ...joined, ...large]);
}

/** The number that some words begin with, and how many words it takes. */
export function numberOf(
  words: readonly string[],
  known: ReadonlyMap<string, number>,
  language: string,
): { value: number; words: number } | undefined {
  const first = words[0];
  if (first === undefined) return undefined;
  if (/^\d/.test(first)) return { value: numeric(first, language), words: 1 };
  let value = 0;
  let taken = 0;
  let last = Infinity;
  for (let word = words[taken]; word !== undefined; word = words[taken]) {
    const number = known.get(word);
    // Between tens and units: "treinta y cinco".
    const isLink =
      language === 'es' && word === 'y' && last >= 30 && last < 100 && (known.get(words[taken + 1] ?? '') ?? 10) < 10;
    if (isLink) {
      taken++;
      continue;
    }
    if (number === undefined) break;
    if (number >= 100 && taken > 0 && value < number) value *= number;
    else if (taken === 0 || (number < last && (last >= 100 || number < 10))) value += number;
    else break;
    last = number;
    taken++;
  }
  return taken > 0 ? { value, words: taken } : undefined;
}

/** A number as people write it: `1,000.5` in English, `1.000,5` in German and Spanish. */
function numeric(text: string, language: string): number {
  const [group, point] = language === 'en' ? [',', '.'] : ['.', ','];
  const groups = text.split(point!)[0]!.split(group!);
  const isGrouped = groups.length > 1 && groups.slice(1).every(({ length }) => length === 3);
  const plain = isGrouped ? text.split(group!).join('') : text;
  return Number(plain.replace(',', '.'));
}

/** A number to be read: at most six digits after the point. */
export function shownNumber(exact: number, language: string): string {
  const value = Number(exact.toPrecision(12));
  const most = Math.abs(value) >= 1 ? 4 : 6;
  return value.toLocaleString(language, { maximumFractionDigits: most });
}
