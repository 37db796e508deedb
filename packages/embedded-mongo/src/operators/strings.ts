import { BSONRegExp, Doc, isNumber } from '../bson.js';
import { CommandError } from '../errors.js';
import { expressionOf } from '../predicates.js';
import { isNullish, typeOf } from '../values.js';
import { stringOf } from './convert.js';
import { Operator, fixed, intOf, named, nullable, textOf, unary, variadic } from './operator.js';

/** Numbers and dates become strings; null becomes the empty string. */
function coerced(value: unknown, name: string): string {
  if (isNullish(value)) return '';
  if (typeof value === 'string' || value instanceof Date || isNumber(value)) return stringOf(value, name);
  throw new CommandError(16007, `can't convert from BSON type ${typeOf(value)} to String`);
}

// MongoDB changes the case of ASCII letters only.
const upper = (text: string): string => text.replace(/[a-z]/g, (letter) => letter.toUpperCase());
const lower = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

const points = (text: string): string[] => [...text];

function substringOfPoints([value, start, count]: any[], name: string): string {
  const [from, length] = [intOf(start, name, 34450), intOf(count, name, 34452)];
  if (from < 0 || length < 0) throw new CommandError(34455, `${name} needs indexes from 0 up`);
  return points(coerced(value, name))
    .slice(from, from + length)
    .join('');
}

const within = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

function substringOfBytes([value, start, count]: any[], name: string): string {
  const [from, length] = [intOf(start, name, 16034), intOf(count, name, 16035)];
  if (from < 0) throw new CommandError(50752, `${name} needs a start from 0 up`);
  const bytes = Buffer.from(coerced(value, name));
  const end = length < 0 ? bytes.length : Math.min(bytes.length, from + length);
  if (from < bytes.length && within(bytes[from]))
    throw new CommandError(28656, `${name}: Invalid range, starting index is a UTF-8 continuation byte.`);
  if (from < end && within(bytes[end]))
    throw new CommandError(28657, `${name}: Invalid range, ending index is in the middle of a UTF-8 character.`);
  return bytes.toString('utf8', Math.min(from, bytes.length), Math.max(from, end));
}

const SPACE = points('\0 \t\n\v\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a');

const trimmed = (left: boolean, right: boolean): Operator =>
  named(['input'], ['chars'], ({ input, chars }, name, given) => {
    if (isNullish(input) || ('chars' in given && isNullish(chars))) return null;
    const items = points(textOf(input, name, 50699));
    const cut = new Set(chars === undefined ? SPACE : points(textOf(chars, name, 50700)));
    let [from, to] = [0, items.length];
    if (left) while (from < to && cut.has(items[from]!)) from++;
    if (right) while (to > from && cut.has(items[to - 1]!)) to--;
    return items.slice(from, to).join('');
  });

function indexOfPoints([text, wanted, start = 0, stop = Infinity]: any[], name: string): number | null {
  if (isNullish(text)) return null;
  const items = points(textOf(text, name, 40093));
  const needle = points(textOf(wanted, name, 40094));
  const [from, to] = [start, stop].map((bound) => (bound === Infinity ? bound : intOf(bound, name, 40096)));
  if (from! < 0 || to! < 0) throw new CommandError(40097, `${name} requires a nonnegative index`);
  const last = Math.min(items.length, to!) - needle.length;
  for (let i = from!; i <= last; i++) if (needle.every((item, j) => items[i + j] === item)) return i;
  return -1;
}

const replaced = (all: boolean): Operator =>
  named(['input', 'find', 'replacement'], [], (values, name) => {
    const given = [values.input, values.find, values.replacement];
    if (given.some(isNullish)) return null;
    const [input, find, replacement] = given.map((value) => textOf(value, name, 51746)) as [string, string, string];
    return all ? input.replaceAll(find, () => replacement) : input.replace(find, () => replacement);
  });

interface Match {
  match: string;
  idx: number;
  captures: (string | null)[];
}

function* matches({ input, regex, options }: Doc, name: string): Generator<Match> {
  if (isNullish(input) || isNullish(regex)) return;
  const text = textOf(input, name, 51104);
  const own = regex instanceof BSONRegExp ? regex.options : '';
  if (own && options) throw new CommandError(51107, `${name}: found regex option(s) specified in both places`);
  const flags = isNullish(options) ? own : textOf(options, name, 51106);
  const pattern = regex instanceof BSONRegExp ? regex.pattern : textOf(regex, name, 51105);
  for (const found of text.matchAll(expressionOf(pattern, flags, 'g'))) {
    const [match, ...captures] = found;
    const idx = points(text.slice(0, found.index)).length;
    yield { match, idx, captures: captures.map((capture) => capture ?? null) };
  }
}

const regex = (run: (found: Generator<Match>) => unknown): Operator =>
  named(['input', 'regex'], ['options'], (values, name) => run(matches(values, name)));

export const strings: Record<string, Operator> = {
  $concat: variadic((values, name) =>
    values.some(isNullish) ? null : values.map((value) => textOf(value, name, 16702)).join(''),
  ),
  $indexOfCP: fixed(2, 4, indexOfPoints),
  $ltrim: trimmed(true, false),
  $rtrim: trimmed(false, true),
  $trim: trimmed(true, true),
  $regexFind: regex((found) => found.next().value ?? null),
  $regexFindAll: regex((found) => [...found]),
  $regexMatch: regex((found) => !found.next().done),
  $replaceAll: replaced(true),
  $replaceOne: replaced(false),
  $split: nullable(2, 2, ([text, separator], name) => {
    const [whole, by] = [textOf(text, name, 40085), textOf(separator, name, 40086)];
    if (!by) throw new CommandError(40087, '$split requires a non-empty separator');
    return whole.split(by);
  }),
  $strcasecmp: fixed(2, 2, ([a, b], name) =>
    Math.sign(Buffer.compare(Buffer.from(upper(coerced(a, name))), Buffer.from(upper(coerced(b, name))))),
  ),
  $strLenBytes: unary((text, name) => Buffer.byteLength(textOf(text, name, 34473))),
  $strLenCP: unary((text, name) => points(textOf(text, name, 34471)).length),
  $substr: fixed(3, 3, substringOfBytes),
  $substrBytes: fixed(3, 3, substringOfBytes),
  $substrCP: fixed(3, 3, substringOfPoints),
  $toLower: unary((text, name) => lower(coerced(text, name))),
  $toUpper: unary((text, name) => upper(coerced(text, name))),
};
