import { EngineExchange, EngineTurn } from './avatar-engine.js';
import { slotsOf } from './script.check.js';
import { CompiledScript } from './script.compile.js';
import { Rule } from './script.rules.js';
import { rewritten, Word, wordsOf } from './script.words.js';

/** What is looked at, of the request and of each earlier one: more words cost time and change no answer. */
const MOST_WORDS = 500;
const HISTORY_TURNS = 50;
/** Earlier turns that decide where a conversation is; from those before only what they say about the user is taken. */
const TOPIC_TURNS = 4;
const HISTORY_CHARACTERS = 500;
const RECENT_ANSWERS = 10;
/** In words: what a follow-up counts more, and what one without phrases counts. */
const FOLLOW_UP_BONUS = 0.5;
const OTHERWISE_WEIGHT = 1.5;

type Said = Pick<EngineTurn, 'avatar' | 'request' | 'history'>;

/** Where a conversation is: the rule that answered last, and the rule of the script that it follows up. */
interface Point {
  readonly rule?: Rule;
  readonly topic?: Rule;
}

/**
 * The answer to a turn. Everything comes from the turn: what was said before is gone through again, so that no
 * process needs to remember anything.
 *
 * @param others the script in its other languages, for what the user said about themselves in those
 */
export function answerTo(turn: Said, script: CompiledScript, others: readonly CompiledScript[]): string {
  const known: Record<string, string> = {};
  let point: Point = {};
  const history = turn.history.slice(-HISTORY_TURNS);
  history.forEach(({ request }, index) => {
    const heard = request.slice(0, HISTORY_CHARACTERS);
    const words = wordsOf(heard, MOST_WORDS);
    for (const other of others) Object.assign(known, other.rules.slots(rewritten(words, other.rewrites), heard));
    if (index >= history.length - TOPIC_TURNS) point = hear(script, words, heard, point, known);
    else Object.assign(known, script.rules.slots(rewritten(words, script.rewrites), heard));
  });
  const { rule } = hear(script, wordsOf(turn.request, MOST_WORDS), turn.request, point, known);
  return choose(rule?.answers ?? script.fallback, turn, known);
}

/** Where a request leads from the last point. What slots catch is added to `known`. */
function hear(
  script: CompiledScript,
  spoken: readonly Word[],
  request: string,
  { rule, topic }: Point,
  known: Record<string, string>,
): Point {
  const words = rewritten(spoken, script.rewrites);
  Object.assign(known, script.rules.slots(words, request));
  const match = script.rules.best(words, request);
  const followUp = rule?.then?.best(words, request);
  const bar = followUp ? followUp.weight + FOLLOW_UP_BONUS : OTHERWISE_WEIGHT;
  const next = followUp?.rule ?? rule?.then?.otherwise;
  if (!next || (match && (match.rule.priority > 0 || match.weight >= bar)))
    return { rule: match?.rule, topic: match?.rule };
  Object.assign(known, followUp?.slots);
  return { rule: next.again ? topic : next, topic };
}

function choose(
  answers: readonly string[],
  { avatar, request, history }: Said,
  known: Readonly<Record<string, string>>,
): string {
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
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value >>> 0;
}
