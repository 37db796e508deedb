import { CommandError } from '../errors.js';

/** A time zone: a fixed offset in milliseconds, or a named zone. */
export interface Zone {
  offset?: number;
  format?: Intl.DateTimeFormat;
}

const UTC: Zone = { offset: 0 };
const known = new Map<string, Zone>();

/** @throws CommandError 40485 for an unknown zone. */
export function zoneOf(given: unknown): Zone {
  if (given === undefined || given === null) return UTC;
  if (typeof given !== 'string') throw new CommandError(40517, 'timezone must evaluate to a string');
  const [, sign, hours, minutes = '0'] = /^([+-])(\d\d)(?::?(\d\d))?$/.exec(given) ?? [];
  if (sign) return { offset: (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000 };
  if (['UTC', 'GMT', 'Etc/UTC', 'Etc/GMT', 'Z'].includes(given)) return UTC;
  let zone = known.get(given);
  if (!zone) {
    zone = { format: named(given) };
    known.set(given, zone);
  }
  return zone;
}

function named(name: string): Intl.DateTimeFormat {
  try {
    // Intl accepts offsets such as +1:00; MongoDB does not.
    if (!/^[a-z]/i.test(name)) throw new RangeError(name);
    return new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    throw new CommandError(40485, `unrecognized time zone identifier: "${name}"`);
  }
}

/** A date whose UTC fields are those of the given time in the zone. */
export function local(moment: Date, { offset, format }: Zone): Date {
  if (!format) return new Date(moment.getTime() + offset!);
  const at = Object.fromEntries(format.formatToParts(moment).map(({ type, value }) => [type, value]));
  const year = at.era === 'BC' ? 1 - Number(at.year) : Number(at.year);
  const shown = new Date(0);
  shown.setUTCFullYear(year, Number(at.month) - 1, Number(at.day));
  shown.setUTCHours(Number(at.hour), Number(at.minute), Number(at.second), moment.getUTCMilliseconds());
  return shown;
}
