import { readFileSync } from 'node:fs';

/** How a language reads what synthesizers read wrong. Lists are `key=name; …`, or names with spaces between; a unit or currency is `one|many`, a currency also `|cents`. */
interface Readings {
  readonly months: string;
  readonly date: string;
  readonly order: string;
  /** With and without minutes, what follows them, and what a zero before the minutes is. */
  readonly time: string;
  readonly hour: string;
  readonly after?: string;
  readonly zero?: string;
  /** A pattern of numbers that take the singular; by default, only 1. */
  readonly one?: string;
  readonly ordinals?: string;
  readonly currencies: string;
  /** Between an amount and its cents; null: they are read as a decimal. */
  readonly cents: string | null;
  readonly magnitudes: string;
  /** Between a magnitude and a currency, and before a vowel. */
  readonly of: string;
  /** `{}` stands for the number if it does not come first. */
  readonly units: string;
  readonly range: string;
  readonly minus: string;
  /** Abbreviations and symbols; with ` #` only before a number, with ` ^` only before a name. */
  readonly words: string;
  /** Patterns and replacements, in which `$o1` is the ordinal of the first group. */
  readonly rules: readonly (readonly [string, string])[];
}

/** What is to be read differently, and how; undefined: as it is. */
export type Rule = readonly [pattern: RegExp, say: (match: RegExpExecArray) => string | undefined];

const LANGUAGES = JSON.parse(readFileSync(new URL('../../assets/readings.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, Readings>
>;
const AMOUNT = String.raw`(\d{1,3}(?:[.,’' ]\d{2,3}){0,4}[.,’' ]\d{3}(?:[.,]\d{1,9})?(?![.,]?\d)|\d{1,15}(?:[.,]\d{1,9})?(?![.,]?\d))`;
const NUMBER = String.raw`(?<![\p{L}\d.,])${AMOUNT}`;
const built = new Map<string, readonly Rule[]>();

/** The rules of a language, to be applied one after the other. @param language such as `en` or `en-gb` */
export function rulesOf(language: string): readonly Rule[] {
  const code = language.toLowerCase();
  const data = LANGUAGES[code.split('-', 1)[0]!.replace('cmn', 'zh')];
  if (!data) return [];
  const rules = built.get(code) ?? build(data, data.order === 'mdy' && code !== 'en' && code !== 'en-us');
  built.set(code, rules);
  return rules;
}

function build(data: Readings, startsWithDay: boolean): Rule[] {
  const { magnitudes } = data;
  const [months, ordinals] = [data.months.split(' '), data.ordinals?.split(' ') ?? []];
  const [units, currencies, words] = [listed(data.units), listed(data.currencies), listed(data.words)];
  const rule = (pattern: string, say: Rule[1]): Rule => [new RegExp(pattern, 'gu'), say];
  const [unit, currency] = [anyOf(Object.keys(units)), anyOf(Object.keys(currencies))];
  const isOne = new RegExp(`^(?:${data.one ?? '1'})$`);
  const counted = (names: string, count: string) => {
    const [one = '', many = one] = names.split('|');
    return isOne.test(count) ? one : many;
  };
  const date = (year: string, month: string, day: string) => {
    const name = months[Number(month) - 1];
    if (!name || Number(day) < 1 || Number(day) > 31) return undefined;
    return fill(data.date, { year, month: name, day: String(Number(day)) });
  };
  const money = (symbol: string, amount: string, magnitude: string | undefined) => {
    const names = currencies[symbol]!;
    if (data.cents === null) return `${amount}${magnitude ?? ''}${names}`;
    if (magnitude) {
      const many = counted(names, '2');
      const [of = '', beforeVowel = of] = data.of.split('|');
      return `${amount} ${magnitude} ${/^[aeiou]/.test(many) ? beforeVowel : of}${many}`;
    }
    const [, whole = amount, cents = '00'] = /^(.*)[.,](\d\d)$/.exec(amount) ?? [];
    const small = names.split('|')[2];
    if (whole === '0' && small) return `${Number(cents)} ${small}`;
    return `${whole} ${counted(names, whole)}${cents === '00' ? '' : `${data.cents}${cents}`}`;
  };
  return [
    rule(String.raw`(?<![\d./-])(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?![\d/-])`, ([, year, month, day]) =>
      date(year!, month!, day!),
    ),
    rule(String.raw`(?<![\d./-])(\d{1,2})([./])(\d{1,2})\2(\d{4})(?![\d/])`, ([, first, mark, second, year]) => {
      const isDayFirst = data.order !== 'mdy' || startsWithDay || mark === '.' || Number(first) > 12;
      return isDayFirst ? date(year!, second!, first!) : date(year!, first!, second!);
    }),
    ...Object.entries(words).map(([key, word]) => abbreviation(key, word)),
    ...data.rules.map(([pattern, said]) =>
      rule(pattern.replaceAll('{months}', `(?:${months.join('|')})`), (match) =>
        said.replace(/\$(o?)(\d)/g, (_, o, group) =>
          o ? ordinals[Number(match[Number(group)])]! : match[Number(group)]!,
        ),
      ),
    ),
    rule(
      String.raw`(?<![\d:.,])([01]?\d|2[0-4]):([0-5]\d)(?![:\d]|[.,]\d)(?:${data.after ?? ''})?`,
      ([, hours, minutes]) => {
        const [h, m] = [String(Number(hours)), minutes!.replace(/^0/, data.zero ? `${data.zero} ` : '')];
        return fill(minutes === '00' ? data.hour : data.time, { h, m }).replace(/\{([^{}]*)\}/, (_, names) =>
          counted(names as string, h),
        );
      },
    ),
    rule(`${NUMBER} ?(${unit})(?![\\p{L}\\d²³])`, ([, count, symbol]) => {
      const names = counted(units[symbol!]!, count!);
      return names.includes('{}') ? names.replace('{}', count!) : `${count} ${names}`;
    }),
    rule(`(?<!\\p{L})(${currency}) ?${AMOUNT}(?: ?(${magnitudes}))?(?!\\p{L})`, ([, symbol, amount, magnitude]) =>
      money(symbol!, amount!, magnitude),
    ),
    rule(`${NUMBER}(?: ?(${magnitudes}))? ?(${currency})(?!\\p{L})`, ([, amount, magnitude, symbol]) =>
      money(symbol!, amount!, magnitude),
    ),
    rule(String.raw`(?<=\d) ?– ?(?=\d)`, () => ` ${data.range} `),
    rule(String.raw`(?<=^|[\s(，、。：；])[-−–](?=\d)`, () => `${data.minus} `),
  ];
}

/** It keeps its full stop at the end of a text. */
function abbreviation(key: string, word: string): Rule {
  const [, short = key, sign] = /^(.*?) ?([#^])?$/.exec(key)!;
  const text = escaped(short).replace(/^\p{Ll}/u, (letter) => `[${letter}${letter.toUpperCase()}]`);
  const before = /^\p{L}/u.test(short) ? '(?<![\\p{L}\\d])' : /^\d/.test(short) ? '(?<![\\d.,/])' : '';
  const after =
    { '#': ' ?(?=\\d)', '^': ' (?=\\p{L})' }[sign ?? ''] ?? (/[\p{L}\d]$/u.test(short) ? '(?![\\p{L}\\d/])' : '');
  return [
    new RegExp(before + text.replaceAll(' ', ' ?') + after, 'gu'),
    ({ 0: found, index, input }) => {
      if (sign) return `${word} `;
      const isLast = found.endsWith('.') && index + found.length === input.length;
      return isLast ? `${word}.` : /[\p{L}\d.]$/u.test(found) ? word : ` ${word} `;
    },
  ];
}

/** `1=one; 2=two` as an object. */
function listed(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split('; ').map((entry) => [entry.slice(0, entry.lastIndexOf('=')), entry.slice(entry.lastIndexOf('=') + 1)]),
  );
}

function anyOf(symbols: readonly string[]): string {
  return [...symbols]
    .sort((one, other) => other.length - one.length)
    .map(escaped)
    .join('|');
}

function escaped(text: string): string {
  return text.replace(/[$()*+./?[\\\]^{|}]/g, '\\$&');
}

function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (all, name: string) => values[name] ?? all);
}
