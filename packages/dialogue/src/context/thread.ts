import { Point } from '../script/answer-points.js';
import { isInterjection } from '../match/interjections.js';
import { answersOf } from '../match/answer-sentences.js';
import { lastThing } from './last-thing.js';
import { ABOUT } from '../match/thing-book.js';
import { Turn } from '../turn/turn.js';

/** So many turns back something was told that a request may still hang on, if nothing else was since. */
const TURNS = 8;

/** What was told last that a request may hang on. */
export interface Thread {
  /** Of the answer. */
  readonly id: string;
  /** Where it leads, if an intent told it. */
  readonly point?: Point;
  /** All that is told there, in its order. */
  readonly texts: readonly string[];
}

/** What was told last, though a sentence of it, an honest answer, a word on a thing or small talk came in between. */
export function threadOf(turn: Turn): Thread | undefined {
  const { knowledge, said } = turn;
  for (const { answer } of said.history.slice(-TURNS).toReversed()) {
    const point = turn.pointAfter(answer);
    if (!point && knowledge.facts.like(answer).length > 0) return undefined;
    if (!point || point.topic.id === 'more' || isInterjection(point.topic)) continue;
    return knowledge.isIntent(point.topic)
      ? { id: point.topic.id, point, texts: [...new Set([...answersOf(point.rule), ...answersOf(point.topic)])] }
      : undefined;
  }
  return thingThread(turn);
}

/** The recipe, or what else was said of the thing that was talked about last. */
function thingThread(turn: Turn): Thread | undefined {
  const book = turn.knowledge.things;
  const last = book && lastThing(turn, book);
  const thing = last?.told === undefined ? undefined : last.things[0];
  const text = thing?.says[ABOUT];
  return text === undefined ? undefined : { id: `${thing!.kind}.${ABOUT}`, texts: [text] };
}
