import { isNumber } from '../values/bson.js';
import { CommandError } from '../wire/errors.js';
import { unsupported } from '../wire/options.js';
import { isNullish, typeOf } from '../values/values.js';
import { Operator, fixed, intOf, textOf, unary, variadic } from './operator.js';

/** Null becomes the empty string. MongoDB converts numbers and dates, too. */
function coerced(value: unknown, name: string): string {
  if (isNullish(value)) return '';
  if (typeof value === 'string') return value;
  if (value instanceof Date || isNumber(value))
    throw unsupported(`${name} of a ${typeOf(value)} is`, 'CommandNotSupported');
  throw new CommandError(16007, `can't convert from BSON type ${typeOf(value)} to String`);
}

// MongoDB changes the case of ASCII letters only.
const upper = (text: string): string => text.replace(/[a-z]/g, (letter) => letter.toUpperCase());
const lower = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

const points = (text: string): string[] => [...text];

function substring([value, start, count]: any[], name: string): string {
  const [from, length] = [intOf(start, name, 34450), intOf(count, name, 34452)];
  if (from < 0 || length < 0) throw new CommandError(34455, `${name} needs indexes from 0 up`);
  return points(coerced(value, name))
    .slice(from, from + length)
    .join('');
}

export const strings: Record<string, Operator> = {
  $concat: variadic((values, name) =>
    values.some(isNullish) ? null : values.map((value) => textOf(value, name, 16702)).join(''),
  ),
  $strLenCP: unary((text, name) => points(textOf(text, name, 34471)).length),
  $substrCP: fixed(3, 3, substring),
  $toLower: unary((text, name) => lower(coerced(text, name))),
  $toUpper: unary((text, name) => upper(coerced(text, name))),
};
