import { Reply } from '../turn/choose.js';
import { Sentence } from '../text/sentences.js';
import { Turn } from '../turn/turn.js';
import { fold } from '../text/words.js';
import { filled, languageOf, skillAnswer } from './skill.js';

type Kind = 'time' | 'date' | 'year' | 'place' | 'christmas' | 'new_year';
interface Words {
  readonly phrases: Readonly<Record<Kind, readonly string[]>>;
  readonly answers: Readonly<Record<Kind, string>>;
}

const WORDS: Readonly<Record<string, Words>> = {
  en: {
    phrases: {
      place: ['(time|hour) is it (now |)in {place:3}', 'time (in|is it in) {place:3}', 'the time in {place:3}'],
      time: [
        'what time is it',
        'what is the time',
        '(have|know|tell me|got) the time',
        'what time it is',
        '^time$',
        'current time',
        'how late is it',
      ],
      date: [
        '(what|which) (day|date) (is it|is today|it is)',
        'what is (the date|today|todays date|the day)',
        'what is today s date',
        'what day of the week',
        '(tell me|know) (the date|what day it is)',
        'date today',
      ],
      year: ['(what|which) year (is it|is this|are we in|it is)', 'the current year'],
      christmas: ['(days|long|weeks) * (until|till|to|before) christmas', 'when is christmas'],
      new_year: ['(days|long|weeks) * (until|till|to|before) new year', 'when is new year'],
    },
    answers: {
      place: 'In {place} it is {time} now, on {day}.',
      time: 'By the clock of this service it is {time} ({zone}).',
      date: 'Today is {date}.',
      year: 'It is {year}.',
      christmas: 'Christmas Day is on 25 December: {count} days from today.',
      new_year: 'The new year begins in {count} days.',
    },
  },
  de: {
    phrases: {
      place: ['(spat|uhrzeit) ist es (jetzt |gerade |)in {place:2}', 'uhrzeit in {place:2}'],
      time: [
        'wie spat ist es',
        'wie viel uhr',
        'wieviel uhr',
        'welche uhrzeit',
        'wie spat es ist',
        'uhrzeit',
        'wie spat haben wir',
      ],
      date: [
        'welcher (tag|wochentag) ist (heute|es)',
        'welchen (tag|wochentag) haben wir',
        'welches datum',
        'was ist heute fur ein (tag|datum|wochentag)',
        'der wievielte ist',
        'den wievielten haben wir',
        'datum heute',
      ],
      year: ['welches jahr (ist|haben wir|schreiben wir)', 'in welchem jahr sind wir'],
      christmas: ['(tage|lange|wochen) * bis (zu |)weihnachten', 'wann ist weihnachten'],
      new_year: ['(tage|lange) * bis (zu |zum |)(silvester|neujahr)', 'wann ist (silvester|neujahr)'],
    },
    answers: {
      place: 'In {place} ist es jetzt {time}, {day}.',
      time: 'Nach der Uhr dieses Dienstes ist es {time} ({zone}).',
      date: 'Heute ist {date}.',
      year: 'Wir haben das Jahr {year}.',
      christmas: 'Der erste Weihnachtstag ist der 25. Dezember: in {count} Tagen.',
      new_year: 'Das neue Jahr beginnt in {count} Tagen.',
    },
  },
  es: {
    phrases: {
      place: ['que hora es (ahora |)en {place:3}', 'la hora en {place:3}'],
      time: [
        'que hora es',
        'tienes hora',
        '^(dime |sabes |y |)la hora$',
        '(dime|sabes|das|dices) la hora',
        'que horas son',
      ],
      date: [
        'que (dia|fecha) (es|estamos|es hoy|tenemos)',
        'a que dia estamos',
        'en que dia estamos',
        'cual es la fecha',
        'que dia de la semana',
        'la fecha de hoy',
      ],
      year: ['que ano es', 'en que ano estamos'],
      christmas: ['(dias|cuanto|falta|semanas) * navidad', 'cuando es navidad'],
      new_year: ['(dias|cuanto|falta) * (ano nuevo|nochevieja)', 'cuando es (ano nuevo|nochevieja)'],
    },
    answers: {
      place: 'En {place} son ahora las {time}, {day}.',
      time: 'Según el reloj de este servicio, son las {time} ({zone}).',
      date: 'Hoy es {date}.',
      year: 'Estamos en {year}.',
      christmas: 'El día de Navidad es el 25 de diciembre: faltan {count} días.',
      new_year: 'El año nuevo empieza dentro de {count} días.',
    },
  },
};

const DAY_MS = 86_400_000;
const KINDS: readonly Kind[] = ['place', 'christmas', 'new_year', 'time', 'date', 'year'];

/** Cities that the time zones are named after, by their folded names: `tokyo` → `Asia/Tokyo`. */
let cities: ReadonlyMap<string, string> | undefined;
const OTHER_NAMES: Readonly<Record<string, string>> = {
  tokio: 'Asia/Tokyo',
  japan: 'Asia/Tokyo',
  japon: 'Asia/Tokyo',
  peking: 'Asia/Shanghai',
  pekin: 'Asia/Shanghai',
  beijing: 'Asia/Shanghai',
  china: 'Asia/Shanghai',
  mumbai: 'Asia/Kolkata',
  delhi: 'Asia/Kolkata',
  india: 'Asia/Kolkata',
  indien: 'Asia/Kolkata',
  london: 'Europe/London',
  londres: 'Europe/London',
  england: 'Europe/London',
  paris: 'Europe/Paris',
  rom: 'Europe/Rome',
  roma: 'Europe/Rome',
  italy: 'Europe/Rome',
  wien: 'Europe/Vienna',
  'nueva york': 'America/New_York',
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

/** The time and the date, of this service or in a city. */
export function tellTime(turn: Turn, { words, text }: Sentence): Reply | undefined {
  const language = languageOf(turn);
  const known = WORDS[language];
  if (!known) return undefined;
  for (const kind of KINDS) {
    const match = turn.knowledge.setFor(`clock_${kind}`, known.phrases[kind]).best(words, text);
    if (!match) continue;
    const zone = match.slots.place ? zoneOf(match.slots.place) : undefined;
    if (kind === 'place' && !zone) continue;
    // A longer sentence is about something else: "what time is it best to plant tomatoes".
    if (kind !== 'place' && words.length > match.weight + 5) continue;
    return skillAnswer('clock', filled(known.answers[kind], valuesAt(turn, kind, zone, match.slots.place)));
  }
  return undefined;
}

function valuesAt(
  { now, knowledge }: Turn,
  kind: Kind,
  timeZone: string | undefined,
  place = '',
): Record<string, string> {
  const locale = knowledge.terms.language === 'en' ? 'en-GB' : knowledge.terms.language;
  const shown = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, { timeZone, ...options });
  const today = new Date(now);
  const zone = shown({ timeZoneName: 'short' })
    .formatToParts(today)
    .find(({ type }) => type === 'timeZoneName');
  const year = today.getFullYear();
  const daysTo = (at: Date) => Math.ceil((at.getTime() - now) / DAY_MS);
  const christmas = [year, year + 1].map((one) => new Date(one, 11, 25)).find((at) => at.getTime() > now)!;
  return {
    place,
    time: shown({ hour: '2-digit', minute: '2-digit' }).format(today),
    day: shown({ weekday: 'long' }).format(today),
    date: shown({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }).format(today),
    year: String(year),
    zone: zone?.value ?? 'UTC',
    count: String(daysTo(kind === 'christmas' ? christmas : new Date(year + 1, 0, 1))),
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
