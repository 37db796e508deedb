import { fold } from '../text/words.js';

/** Cities that the time zones are named after, by their folded names: `tokyo` → `Asia/Tokyo`. */
let cities: ReadonlyMap<string, string> | undefined;
const OTHER_NAMES: Readonly<Record<string, string>> = {
  tokio: 'Asia/Tokyo',
  japan: 'Asia/Tokyo',
  japon: 'Asia/Tokyo',
  japao: 'Asia/Tokyo',
  peking: 'Asia/Shanghai',
  pekin: 'Asia/Shanghai',
  pequim: 'Asia/Shanghai',
  beijing: 'Asia/Shanghai',
  china: 'Asia/Shanghai',
  mumbai: 'Asia/Kolkata',
  delhi: 'Asia/Kolkata',
  india: 'Asia/Kolkata',
  inde: 'Asia/Kolkata',
  indien: 'Asia/Kolkata',
  london: 'Europe/London',
  londres: 'Europe/London',
  england: 'Europe/London',
  paris: 'Europe/Paris',
  rom: 'Europe/Rome',
  roma: 'Europe/Rome',
  wien: 'Europe/Vienna',
  'nueva york': 'America/New_York',
  'nova york': 'America/New_York',
  'new york': 'America/New_York',
  'san francisco': 'America/Los_Angeles',
  california: 'America/Los_Angeles',
  barcelona: 'Europe/Madrid',
  spain: 'Europe/Madrid',
  spanien: 'Europe/Madrid',
  germany: 'Europe/Berlin',
  alemania: 'Europe/Berlin',
  hamburg: 'Europe/Berlin',
  munchen: 'Europe/Berlin',
};

/**
 * What answers may say of the time by the clock of this service: `time`, `date`, `weekday`, `year`, `zone`, and, if a place
 * is named whose time zone is known, `time_there` and `day_there`.
 */
export function clockValues(now: number, language: string, place?: string): Readonly<Record<string, string>> {
  const locale = language === 'en' ? 'en-GB' : language;
  const today = new Date(now);
  const shown = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options).format(today);
  const timeZone = place === undefined ? undefined : zoneOf(place);
  const zone = new Intl.DateTimeFormat(locale, { timeZoneName: 'short' })
    .formatToParts(today)
    .find(({ type }) => type === 'timeZoneName');
  return {
    time: shown({ hour: '2-digit', minute: '2-digit' }),
    weekday: shown({ weekday: 'long' }),
    date: shown({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }),
    year: String(today.getFullYear()),
    zone: zone?.value ?? 'UTC',
    ...(timeZone && {
      time_there: shown({ hour: '2-digit', minute: '2-digit', timeZone }),
      day_there: shown({ weekday: 'long', timeZone }),
    }),
  };
}

function zoneOf(place: string): string | undefined {
  cities ??= new Map([
    ...Intl.supportedValuesOf('timeZone').map((zone): [string, string] => [
      fold(zone.split('/').at(-1)!.replaceAll('_', ' ')),
      zone,
    ]),
    ...Object.entries(OTHER_NAMES),
  ]);
  const names = fold(place).split(' ');
  for (let length = names.length; length > 0; length--) {
    const zone = cities.get(names.slice(0, length).join(' '));
    if (zone) return zone;
  }
  return undefined;
}
