import { EngineExchange, EngineTurn } from './avatar-engine.js';
import { slotsOf } from './script.check.js';

/** What is known for the slots of answers, by their names in lower case. */
export type Known = Readonly<Record<string, string>>;

export type Said = Pick<EngineTurn, 'avatar' | 'request' | 'history' | 'said'>;

/** An answer, with the rule, intent or skill that it comes from. */
export interface Reply {
  readonly id: string;
  readonly answer: string;
  /** Whether the script had something to say to this request. */
  readonly isAnswered: boolean;
}

const RECENT_ANSWERS = 10;

/** One of the answers whose slots are known, and that was not given lately. The same conversation gets the same. */
export function choose(answers: readonly string[], { avatar, request, history }: Said, known: Known): string {
  const values = new Map(Object.entries({ ...known, avatar: avatar.name, ...lastAnswer(history) }));
  const possible = answers.filter((answer) => slotsOf(answer).every((slot) => values.has(slot)));
  const most = Math.max(...possible.map((answer) => slotsOf(answer).length));
  const fitting = possible.filter((answer) => slotsOf(answer).length === most).map((answer) => fill(answer, values));
  const recent = new Set(history.slice(-RECENT_ANSWERS).map(({ answer }) => answer));
  const fresh = fitting.filter((answer) => !recent.has(answer));
  const choices = fresh.length > 0 ? fresh : fitting;
  return choices[hash(`${history.length}:${request}`) % choices.length]!;
}

function lastAnswer(history: readonly EngineExchange[]): { last?: string } {
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
export function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value >>> 0;
}
