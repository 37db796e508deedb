import { slotsOf } from '../format/faults.js';
import { clockValues } from '../skills/clock.js';
import { Slots } from '../match/pattern.js';
import { Turn } from './turn.js';

const RECENT_ANSWERS = 10;
const TOPICS = 3;
/** What is known without a look at what was said. */
const OF_ALL: ReadonlySet<string> = new Set(['avatar', 'topics', 'last', 'text']);
const CLOCK: ReadonlySet<string> = new Set(['time', 'date', 'weekday', 'year', 'zone', 'time_there', 'day_there']);

/** One of the answers of an intent; undefined if none of them can be given. */
export function answerFrom(turn: Turn, id: string, slots: Slots = {}): string | undefined {
  return choose(turn, turn.script.answersOf(id), slots);
}

/**
 * One of the answers whose slots are known, and that was not given lately. The same conversation gets the same.
 *
 * @param caught what was caught just now
 */
export function choose(turn: Turn, answers: readonly string[], caught: Slots = {}): string | undefined {
  const needed = new Set(answers.flatMap(slotsOf));
  const { avatar, history } = turn.said;
  const isOfTurn = [...needed].some((slot) => !OF_ALL.has(slot) && !CLOCK.has(slot));
  const slots: Slots = { ...(isOfTurn || needed.has('time_there') ? turn.slots : {}), ...caught };
  const values: Record<string, string> = { ...slots, avatar: avatar.name };
  if (turn.last) values.last = turn.last;
  if (needed.has('topics')) values.topics = topics(turn);
  if ([...needed].some((slot) => CLOCK.has(slot)))
    Object.assign(values, clockValues(turn.now, turn.script.language.code, slots.place));
  const isKnown = (slot: string) => slot === 'text' || Object.hasOwn(values, slot);
  const known = (answer: string) => slotsOf(answer).every(isKnown);
  const possible = answers.filter(known);
  if (possible.length === 0) return undefined;
  const most = Math.max(...possible.map((answer) => slotsOf(answer).length));
  const fitting = possible.filter((answer) => slotsOf(answer).length === most).map((answer) => fill(answer, values));
  const told = history.slice(-RECENT_ANSWERS).map(({ answer }) => answer);
  const fresh = fitting.filter((text) => !told.some((answer) => answer.endsWith(text)));
  if (fresh.length > 0) return fresh[seedOf(turn) % fresh.length];
  return fitting.toSorted((one, other) => told.lastIndexOf(one) - told.lastIndexOf(other))[0];
}

/** Some of what the avatar can talk about, as one text. */
function topics(turn: Turn): string {
  const all = turn.script.answersOf('topics');
  const from = seedOf(turn) % Math.max(1, all.length);
  const some = [...all, ...all].slice(from, from + Math.min(TOPICS, all.length));
  return new Intl.ListFormat(turn.script.language.code, { type: 'disjunction' }).format(some);
}

function fill(answer: string, values: Readonly<Record<string, string>>): string {
  return answer.replace(/\{([^{}]*)\}/g, (_, name: string) => {
    const value = values[name.toLowerCase()] ?? (name === 'text' ? '{text}' : '');
    return /^\p{Lu}/u.test(name) ? value.replace(/^./u, (first) => first.toUpperCase()) : value;
  });
}

/** FNV-1a, 32 bits. */
function seedOf({ said: { history, request } }: Turn): number {
  let value = 0x811c9dc5;
  for (const letter of `${history.length}:${request}`) value = Math.imul(value ^ letter.codePointAt(0)!, 0x01000193);
  return value >>> 0;
}
