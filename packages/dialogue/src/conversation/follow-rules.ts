import { choose, HISTORY_CHARACTERS, HISTORY_TURNS, MOST_WORDS, Reply, Said } from '../turn/choose.js';
import { CompiledScript } from '../script/compiled.js';
import { Rule } from '../match/rules.js';
import { rewritten, Word, wordsOf } from '../text/words.js';

/** Earlier turns that decide where a conversation is; from those before only what they say about the user is taken. */
const TOPIC_TURNS = 4;
/** In words: what a follow-up counts more, and what one without phrases counts. */
const FOLLOW_UP_BONUS = 0.5;
const OTHERWISE_WEIGHT = 1.5;

/** Where a conversation is: the rule that answered last, and the rule of the script that it follows up. */
interface Point {
  readonly rule?: Rule;
  readonly topic?: Rule;
}

/**
 * The answer of a script of rules alone. Everything comes from the turn: what was said before is gone through again,
 * so that no process needs to remember anything.
 *
 * @param others the script in its other languages, for what the user said about themselves in those
 */
export function followRules(turn: Said, script: CompiledScript, others: readonly CompiledScript[]): Reply {
  const known: Record<string, string> = {};
  let point: Point = {};
  const history = turn.history.slice(-HISTORY_TURNS);
  history.forEach(({ request }, index) => {
    const heard = request.slice(0, HISTORY_CHARACTERS);
    const words = wordsOf(heard, MOST_WORDS);
    for (const other of others) Object.assign(known, other.remembering.slots(rewritten(words, other.rewrites), heard));
    if (index >= history.length - TOPIC_TURNS) point = hear(script, words, heard, point, known);
    else Object.assign(known, script.rules.slots(rewritten(words, script.rewrites), heard));
  });
  const { rule } = hear(script, wordsOf(turn.request, MOST_WORDS), turn.request, point, known);
  const answer = choose(rule?.answers ?? script.fallback, turn, known);
  return { id: rule?.id ?? 'fallback', answer, isAnswered: rule !== undefined };
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
