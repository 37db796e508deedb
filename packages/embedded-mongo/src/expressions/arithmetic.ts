import { Decimal128, Double, Long, isLong, isNumber, toNumber } from '../values/bson.js';
import { CommandError } from '../wire/errors.js';
import { unsupported } from '../wire/options.js';
import {
  Total,
  bigOf,
  double,
  integer,
  isInt,
  isNullish,
  kindOf,
  noDecimal,
  typeOf,
  widest,
} from '../values/values.js';
import { Operator, fixed, nullable, variadic } from './operator.js';

/** @throws CommandError with this code if a value is not a number, or is a Decimal128. */
function checked(values: unknown[], name: string, code: number): void {
  for (const value of values) {
    if (!isNumber(value)) throw new CommandError(code, `${name} only supports numeric types, not ${typeOf(value)}`);
    if (value instanceof Decimal128) throw noDecimal(name);
  }
}

const integral = (values: unknown[]): boolean => values.every((value) => isInt(value) || isLong(value));

/** Of one number. Integers are returned unchanged. */
const rounded = (run: (value: number) => number): Operator =>
  nullable(1, 1, (values, name) => {
    checked(values, name, 28765);
    return integral(values) ? values[0] : double(run(toNumber(values[0])));
  });

function add(values: unknown[], name: string): unknown {
  if (values.some(isNullish)) return null;
  const dates = values.filter((value) => value instanceof Date);
  if (dates.length > 1) throw new CommandError(16612, 'only one date allowed in an $add expression');
  const numbers = values.filter((value) => !(value instanceof Date));
  checked(numbers, name, 14);
  const total = new Total(name);
  for (const value of numbers) total.add(value);
  return dates[0] ? shifted(dates[0], total.value, name) : total.value;
}

function subtract([a, b]: any[], name: string): unknown {
  if (a instanceof Date && b instanceof Date) return Long.fromNumber(a.getTime() - b.getTime());
  checked(a instanceof Date ? [b] : [a, b], name, 14);
  if (a instanceof Date) return shifted(a, integral([b]) ? integer(-bigOf(b), true) : -toNumber(b), name);
  if (integral([a, b])) return integer(bigOf(a) - bigOf(b), isLong(a) || isLong(b));
  return double(toNumber(a) - toNumber(b));
}

/** @throws CommandError 115 for a fraction of a millisecond, 15 if the result is not a valid date. */
function shifted(date: Date, by: unknown, name: string): Date {
  const milliseconds = toNumber(by);
  if (!Number.isInteger(milliseconds))
    throw unsupported(`${name} of a date and a fraction of a millisecond is`, 'CommandNotSupported');
  return dateAt(date.getTime() + milliseconds);
}

function dateAt(milliseconds: number): Date {
  const date = new Date(milliseconds);
  if (Number.isNaN(date.getTime()))
    throw unsupported('a date further than 100 million days from 1970 is', 'CommandNotSupported');
  return date;
}

function multiply(values: unknown[], name: string): unknown {
  if (values.some(isNullish)) return null;
  checked(values, name, 14);
  if (integral(values))
    return integer(
      values.reduce((product: bigint, value) => product * bigOf(value), 1n),
      widest(values) === 'long',
    );
  return double(values.reduce((product: number, value) => product * toNumber(value), 1));
}

function divide([a, b]: any[], name: string): unknown {
  checked([a, b], name, 14);
  if (toNumber(b) === 0) throw new CommandError('BadValue', "can't $divide by zero");
  return double(toNumber(a) / toNumber(b));
}

/** A double if the first is one, or if the second is not integral; else an integer. */
function modulo([a, b]: any[], name: string): unknown {
  checked([a, b], name, 16611);
  const divisor = toNumber(b);
  if (divisor === 0) throw new CommandError(16610, "can't $mod by zero");
  if (kindOf(a) === 'double' || !(isLong(b) || Number.isSafeInteger(divisor))) return double(toNumber(a) % divisor);
  return integer(bigOf(a) % bigOf(b), isLong(a) || isLong(b));
}

function absolute([value]: any[], name: string): unknown {
  checked([value], name, 28765);
  if (!integral([value])) return double(Math.abs(toNumber(value)));
  const big = bigOf(value);
  if (big === -(2n ** 63n)) throw new CommandError(28680, "can't take $abs of long long min");
  return integer(big < 0n ? -big : big, isLong(value));
}

/** Rounds to a number of places after (or, if negative, before) the decimal point, using the double's exact value. */
const round = fixed(1, 2, ([value, place = 0, ...more], name) => {
  if (isNullish(value) || isNullish(place) || more.length) return null;
  checked([value, place], name, 51081);
  const digits = toNumber(place);
  if (!Number.isInteger(digits))
    throw new CommandError(51082, `precision argument to ${name} must be an integral value`);
  if (digits < -20 || digits > 100)
    throw new CommandError(51083, `cannot apply ${name} with precision value ${digits}: must be in [-20, 100]`);
  if (integral([value])) {
    if (digits >= 0) return value;
    const unit = 10n ** BigInt(-digits);
    const result = quotient(bigOf(value), unit) * unit;
    if (BigInt.asIntN(64, result) !== result) throw new CommandError(51080, `invalid conversion in ${name}`);
    return integer(result, isLong(value));
  }
  const number = toNumber(value);
  if (!Number.isFinite(number)) return value instanceof Double ? value : number;
  const { numerator, denominator } = fraction(number);
  const scaled =
    digits >= 0
      ? quotient(numerator * 10n ** BigInt(digits), denominator)
      : quotient(numerator, denominator * 10n ** BigInt(-digits));
  const result = Number(`${scaled}e${-digits}`);
  return double(result === 0 && (number < 0 || Object.is(number, -0)) ? -0 : result);
});

/** Rounds to the nearest, half to even. */
function quotient(a: bigint, b: bigint): bigint {
  const result = a / b;
  const rest = (a % b < 0n ? -(a % b) : a % b) * 2n;
  if (rest < b || (rest === b && result % 2n === 0n)) return result;
  return result + (a < 0n ? -1n : 1n);
}

/** The exact fraction that a finite double represents. */
function fraction(number: number): { numerator: bigint; denominator: bigint } {
  let denominator = 1n;
  let numerator = number;
  while (!Number.isInteger(numerator)) {
    numerator *= 2;
    denominator *= 2n;
  }
  return { numerator: BigInt(numerator), denominator };
}

export const arithmetic: Record<string, Operator> = {
  $abs: nullable(1, 1, absolute),
  $add: variadic(add),
  $ceil: rounded(Math.ceil),
  $divide: nullable(2, 2, divide),
  $floor: rounded(Math.floor),
  $mod: nullable(2, 2, modulo),
  $multiply: variadic(multiply),
  $round: round,
  $subtract: nullable(2, 2, subtract),
};
