import { Timestamp } from 'bson';
import { Doc, Long, ObjectId, isNumber, toNumber } from '../bson.js';
import { CommandError } from '../errors.js';
import { isNullish, typeOf } from '../values.js';
import { unsupported } from '../options.js';
import { dateAt } from './arithmetic.js';
import { Operator, named } from './operator.js';
import { Zone, local, zoneOf } from './zone.js';

const DAY = 86_400_000;
const fixedUnits: Record<string, number> = {
  millisecond: 1,
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: DAY,
  week: 7 * DAY,
};
const months: Record<string, number> = { month: 1, quarter: 3, year: 12 };

/** @throws CommandError 16006 if the value cannot be read as a date. */
function momentOf(value: unknown): Date {
  if (value instanceof Date) return value;
  if (value instanceof ObjectId) return value.getTimestamp();
  if (value instanceof Timestamp) return new Date(value.getHighBitsUnsigned() * 1000);
  throw new CommandError(16006, `can't convert from BSON type ${typeOf(value)} to Date`);
}

/** Whole days since 1970-01-01, of a date shifted to its zone. */
const dayOf = (date: Date): number => Math.floor(date.getTime() / DAY);
const monthOf = (date: Date): number => date.getUTCFullYear() * 12 + date.getUTCMonth();
/** Monday is 1. */
const isoWeekday = (date: Date): number => date.getUTCDay() || 7;
const yearStart = (date: Date): number => Math.floor(Date.UTC(date.getUTCFullYear(), 0) / DAY);
const dayOfYear = (date: Date): number => dayOf(date) - yearStart(date) + 1;
/** The Thursday of a date's week: an ISO week belongs to the year of its Thursday. */
const thursday = (date: Date): Date => new Date(date.getTime() + (4 - isoWeekday(date)) * DAY);
/** Weeks begin on Sunday; the days before the first are in week 0. */
const weekOf = (date: Date): number => Math.floor((dayOfYear(date) + 6 - date.getUTCDay()) / 7);
const isoWeek = (date: Date): number => Math.ceil(dayOfYear(thursday(date)) / 7);
const isoYear = (date: Date): number => thursday(date).getUTCFullYear();

const parts: Record<string, (date: Date) => number | Long> = {
  $year: (date) => date.getUTCFullYear(),
  $month: (date) => date.getUTCMonth() + 1,
  $dayOfMonth: (date) => date.getUTCDate(),
  $dayOfWeek: (date) => date.getUTCDay() + 1,
  $dayOfYear: dayOfYear,
  $hour: (date) => date.getUTCHours(),
  $minute: (date) => date.getUTCMinutes(),
  $second: (date) => date.getUTCSeconds(),
  $millisecond: (date) => date.getUTCMilliseconds(),
  $week: weekOf,
  $isoWeek: isoWeek,
  $isoWeekYear: (date) => Long.fromNumber(isoYear(date)),
  $isoDayOfWeek: isoWeekday,
};

/** Takes a date, or `{date, timezone}`. */
const part =
  (run: (date: Date) => unknown): Operator =>
  (argument, build, name) => {
    const whole = typeof argument === 'object' && argument !== null && 'date' in argument;
    const [alone] = Array.isArray(argument) && argument.length === 1 ? (argument as unknown[]) : [argument];
    const given = whole ? argument : { date: alone };
    return named(['date'], ['timezone'], ({ date, timezone }, _, { timezone: asked }) => {
      if (isNullish(date) || (asked !== undefined && isNullish(timezone))) return null;
      return run(local(momentOf(date), zoneOf(timezone)));
    })(given, build, name);
  };

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

const formats: Record<string, (date: Date, zone: Zone, moment: Date) => string> = {
  '%': () => '%',
  Y: (date) => pad(date.getUTCFullYear(), 4),
  m: (date) => pad(date.getUTCMonth() + 1),
  d: (date) => pad(date.getUTCDate()),
  H: (date) => pad(date.getUTCHours()),
  M: (date) => pad(date.getUTCMinutes()),
  S: (date) => pad(date.getUTCSeconds()),
  L: (date) => pad(date.getUTCMilliseconds(), 3),
  j: (date) => pad(dayOfYear(date), 3),
  w: (date) => String(date.getUTCDay() + 1),
  u: (date) => String(isoWeekday(date)),
  U: (date) => pad(weekOf(date)),
  V: (date) => pad(isoWeek(date)),
  G: (date) => pad(isoYear(date), 4),
  b: (date) => MONTHS[date.getUTCMonth()]!.slice(0, 3),
  B: (date) => MONTHS[date.getUTCMonth()]!,
  z: (date, _, moment) => {
    const minutes = (date.getTime() - moment.getTime()) / 60_000;
    const size = Math.abs(minutes);
    return `${minutes < 0 ? '-' : '+'}${pad(Math.trunc(size / 60))}${pad(size % 60)}`;
  },
  Z: (date, _, moment) => {
    const minutes = (date.getTime() - moment.getTime()) / 60_000;
    return `${minutes < 0 ? '-' : '+'}${Math.abs(minutes)}`;
  },
};

const pad = (value: number, size = 2): string => String(value).padStart(size, '0');

function toText({ date, format, timezone, onNull }: Doc, name: string, given: Doc): unknown {
  if (isNullish(date)) return onNull ?? null;
  if ((given.format !== undefined && isNullish(format)) || (given.timezone !== undefined && isNullish(timezone)))
    return null;
  const moment = momentOf(date);
  const zone = zoneOf(timezone);
  const pattern = format ?? `%Y-%m-%dT%H:%M:%S.%L${zone.offset === 0 ? 'Z' : ''}`;
  if (typeof pattern !== 'string') throw new CommandError(18533, `${name} requires that 'format' be a string`);
  const shown = local(moment, zone);
  if (shown.getUTCFullYear() < 0 || shown.getUTCFullYear() > 9999)
    throw new CommandError(18537, `${name} is only defined on year 0-9999`);
  return pattern.replace(/%(.?)/gsu, (_, letter: string) => {
    const write = Object.hasOwn(formats, letter) ? formats[letter] : undefined;
    if (!write) throw new CommandError(18536, `Invalid format character '%${letter}' in format string`);
    return write(shown, zone, moment);
  });
}

/** @throws CommandError 9 for an invalid unit of time. */
function unitOf(unit: unknown, name: string): string {
  if (typeof unit === 'string' && (unit in fixedUnits || unit in months)) return unit;
  throw new CommandError(
    'FailedToParse',
    `${name} requires 'unit' to be one of year, quarter, month, week, day, hour, minute, second, millisecond`,
  );
}

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const NAMES = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

function weekdayOf(day: unknown, name: string): number {
  const given = typeof day === 'string' ? day.toLowerCase() : '';
  const found = Math.max(DAYS.indexOf(given), NAMES.indexOf(given));
  if (found < 0)
    throw new CommandError(
      'FailedToParse',
      `${name} parameter 'startOfWeek' value cannot be recognized as a day of a week`,
    );
  return found;
}

/** The number of the week, counted from 1970-01-01 (a Thursday), for weeks that begin on the given day. */
const weekNumber = (date: Date, start: number): number => Math.floor((dayOf(date) + 4 - start) / 7);

/** Adds months. If the month has no such day, uses its last one. */
function byMonths(date: Date, count: number): Date {
  const month = monthOf(date) + count;
  const [year, inYear] = [Math.floor(month / 12), ((month % 12) + 12) % 12];
  const end = new Date(0);
  end.setUTCFullYear(year, inYear + 1, 0);
  const moved = new Date(date);
  moved.setUTCFullYear(year, inYear, Math.min(date.getUTCDate(), end.getUTCDate()));
  return dateAt(moved.getTime());
}

const moved = (sign: number): Operator =>
  named(['startDate', 'unit', 'amount'], ['timezone'], ({ startDate, unit, amount, timezone }, name, given) => {
    if ([startDate, unit, amount].some(isNullish) || (given.timezone !== undefined && isNullish(timezone))) return null;
    const count = isNumber(amount) ? toNumber(amount) : NaN;
    if (!Number.isInteger(count)) throw new CommandError(5166405, `${name} expects integer amount of time units`);
    const kind = unitOf(unit, name);
    const zone = fixedZone(timezone, name);
    const date = local(momentOf(startDate), zone);
    const result =
      kind in months
        ? byMonths(date, sign * count * months[kind]!)
        : dateAt(date.getTime() + sign * count * fixedUnits[kind]!);
    return dateAt(result.getTime() - zone.offset!);
  });

/** @throws CommandError 115 for a zone with varying offsets, in which a local time may be ambiguous. */
function fixedZone(timezone: unknown, name: string): Zone {
  const zone = zoneOf(timezone);
  if (zone.offset === undefined)
    throw unsupported(`${name} in a time zone other than UTC or a fixed offset is`, 'CommandNotSupported');
  return zone;
}

/** The number of unit boundaries between two dates. */
function difference({ startDate, endDate, unit, timezone, startOfWeek }: Doc, name: string, given: Doc): unknown {
  if ([startDate, endDate, unit].some(isNullish) || (given.timezone !== undefined && isNullish(timezone))) return null;
  const kind = unitOf(unit, name);
  if (kind === 'week' && given.startOfWeek !== undefined && isNullish(startOfWeek)) return null;
  const zone = fixedZone(timezone, name);
  const start = kind === 'week' ? weekdayOf(startOfWeek ?? 'sunday', name) : 0;
  const at = (value: unknown): number => {
    const date = local(momentOf(value), zone);
    if (kind in months) return Math.floor(monthOf(date) / months[kind]!);
    return kind === 'week' ? weekNumber(date, start) : Math.floor(date.getTime() / fixedUnits[kind]!);
  };
  return Long.fromNumber(at(endDate) - at(startDate));
}

/** The start of the unit, or of a bin of several units counted from 2000-01-01. */
function truncated({ date, unit, binSize, timezone, startOfWeek }: Doc, name: string, given: Doc): unknown {
  const asked = [
    date,
    unit,
    ...(['binSize', 'timezone'] as const).flatMap((key) =>
      given[key] === undefined ? [] : [key === 'binSize' ? binSize : timezone],
    ),
  ];
  if (asked.some(isNullish)) return null;
  const kind = unitOf(unit, name);
  if (kind === 'week' && given.startOfWeek !== undefined && isNullish(startOfWeek)) return null;
  const size = binSize === undefined ? 1 : isNumber(binSize) ? toNumber(binSize) : NaN;
  if (!Number.isInteger(size) || size < 1)
    throw new CommandError(5439018, `${name} requires 'binSize' to be a 64-bit integer greater than 0`);
  const zone = fixedZone(timezone, name);
  const shown = local(momentOf(date), zone);
  let result: number;
  if (kind in months) {
    const several = months[kind]! * size;
    const month = Math.floor((monthOf(shown) - 24_000) / several) * several + 24_000;
    result = new Date(0).setUTCFullYear(Math.floor(month / 12), ((month % 12) + 12) % 12, 1);
  } else if (kind === 'week') {
    if (size > 1) throw unsupported(`${name} with several weeks is`, 'CommandNotSupported');
    const start = weekdayOf(startOfWeek ?? 'sunday', name);
    result = (weekNumber(shown, start) * 7 + start - 4) * DAY;
  } else {
    const several = fixedUnits[kind]! * size;
    const origin = Date.UTC(2000, 0);
    result = Math.floor((shown.getTime() - origin) / several) * several + origin;
  }
  return dateAt(result - zone.offset!);
}

export const dates: Record<string, Operator> = {
  ...Object.fromEntries(Object.entries(parts).map(([name, run]) => [name, part(run)])),
  $dateAdd: moved(1),
  $dateSubtract: moved(-1),
  $dateDiff: named(['startDate', 'endDate', 'unit'], ['timezone', 'startOfWeek'], difference),
  $dateToString: named(['date'], ['format', 'timezone', 'onNull'], toText),
  $dateTrunc: named(['date', 'unit'], ['binSize', 'timezone', 'startOfWeek'], truncated),
};
