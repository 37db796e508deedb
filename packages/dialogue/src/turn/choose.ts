import { slotsOf } from '../format/faults.js';

/** What is known for the slots of answers, by their names in lower case. */
export type Known = Readonly<Record<string, string>>;

/** What is known of a turn: all that an answer depends on besides the script and the time. */
export interface Said {
  readonly avatar: { readonly name: string };
  /** What the user said, untrusted. */
  readonly request: string;
  /** The newest turns of this conversation, the oldest first. */
  readonly history: readonly Exchange[];
  /** What the user said lately in this or another conversation, the oldest first: for facts about the user. */
  readonly said?: readonly { readonly request: string }[];
}

/** An earlier turn. */
export interface Exchange {
  readonly request: string;
  readonly answer: string;
}

/** An answer, with the rule, intent or skill that it comes from. */
export interface Reply {
  readonly id: string;
  readonly answer: string;
  /** Whether the script had something to say to this request. */
  readonly isAnswered: boolean;
  /** Whether it says but that nothing was found of what the user told. */
  readonly isNothing?: boolean;
}

/** What is looked at, of the request and of each earlier one: more words cost time and change no answer. */
export const MOST_WORDS = 500;
export const HISTORY_TURNS = 50;
export const HISTORY_CHARACTERS = 500;
const RECENT_ANSWERS = 10;

/** One of the answers whose slots are known, and that was not given lately. The same conversation gets the same. */
export function choose(answers: readonly string[], said: Said, known: Known): string {
  const { avatar, history } = said;
  const values = new Map(Object.entries({ ...known, avatar: avatar.name, ...lastAnswer(history) }));
  const possible = answers.filter((answer) => slotsOf(answer).every((slot) => values.has(slot)));
  const most = Math.max(...possible.map((answer) => slotsOf(answer).length));
  const fitting = possible.filter((answer) => slotsOf(answer).length === most).map((answer) => fill(answer, values));
  return oneNotAmong(history.slice(-RECENT_ANSWERS), fitting, seedOf(said));
}

/** One of some texts, and not one of these answers as long as others are left; else the one given longest ago. */
export function oneNotAmong(answers: readonly Exchange[], texts: readonly string[], seed: number): string {
  const told = answers.map(({ answer }) => answer);
  const fresh = texts.filter((text) => !told.includes(text));
  if (fresh.length > 0) return fresh[seed % fresh.length]!;
  return texts.toSorted((one, other) => told.lastIndexOf(one) - told.lastIndexOf(other))[0]!;
}

/** Chooses among answers: the same conversation gets the same. */
export function seedOf({ history, request }: Said): number {
  return hash(`${history.length}:${request}`);
}

function lastAnswer(history: readonly Exchange[]): { last?: string } {
  const last = history.at(-1)?.answer;
  return last ? { last } : {};
}

function fill(answer: string, values: ReadonlyMap<string, string>): string {
  return answer.replace(/\{([^{}]*)\}/g, (_, name: string) => {
    const value = values.get(name.toLowerCase()) ?? '';
    return /^\p{Lu}/u.test(name) ? value.replace(/^./u, (first) => first.toUpperCase()) : value;
  });
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value >>> 0;
}
