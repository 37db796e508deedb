import { Reply } from '../turn/choose.js';
import { heard, unknown } from './fallback.js';
import { isInterjection } from '../match/interjections.js';
import { wants } from '../context/needed-score.js';
import { sentenceOf } from '../text/sentences.js';
import { contentOf } from '../text/terms.js';
import { NUMBERS } from '../match/answer-sentences.js';
import { SURE } from '../match/scores.js';
import { Turn } from '../turn/turn.js';

/** So many answers back a text is not given once more. */
const LATELY = 2;
/** Ask for something once more, in any language. */
const AGAIN = new Set(
  'again repeat repeated once remind nochmal nochmals wiederhol wiederhole wiederholen erneut repite repetir repiteme repites vez nuevo'.split(
    ' ',
  ),
);
const DIGIT = /\d/u;
const HALF = 0.5;
/** The share of what two requests name that they have in common if they ask for the same. */
const MOST_OF_BOTH = 0.75;

/**
 * A reply, unless its text was given lately and is not asked for once more: then an honest answer to a question, a few words
 * to a remark.
 */
export function withoutRepeat(turn: Turn, reply: Reply): Reply {
  const { said, knowledge, whole } = turn;
  const before = said.history.slice(-LATELY).filter(({ answer }) => answer === reply.answer);
  const rule = knowledge.ruleOf(reply.id);
  if (before.length === 0 || (rule && isInterjection(rule))) return reply;
  if (before.some(({ request }) => asksAgain(turn, request)) || isPart(turn, reply.answer)) return reply;
  // What is surely meant may be told again once something else was said.
  const best = knowledge.intents.best(whole.terms);
  if (best && best.rule.id === reply.id && best.score >= SURE && said.history.at(-1)!.answer !== reply.answer)
    return reply;
  const isReaction = !rule && knowledge.pointAfter(reply.answer) !== undefined;
  if (!wants(turn, whole)) return heard(turn) ?? reply;
  return isReaction ? unknown(turn) : (turn.builtInReply('told_already', false) ?? reply);
}

/** Whether an answer says what a request asks of it: "and in the freezer?", "how long for?". */
function isPart({ knowledge, whole }: Turn, answer: string): boolean {
  const told = knowledge.terms.of(answer);
  const named = contentOf(whole.terms);
  const isAmount = NUMBERS.has(whole.terms.shape?.kind ?? '') && DIGIT.test(answer);
  return isAmount || (named.length > 0 && named.filter((term) => told.has(term)).length >= HALF * named.length);
}

/** Whether a request asks for what an earlier one did: in the same words, in nearly the same, or for it once more. */
function asksAgain({ knowledge, whole }: Turn, request: string): boolean {
  const before = sentenceOf(request, knowledge.terms);
  const spoken = (words: typeof whole.words) => words.map(({ text }) => text).join(' ');
  if (whole.words.some(({ text }) => AGAIN.has(text)) || spoken(whole.words) === spoken(before.words)) return true;
  const [one, other] = [contentOf(whole.terms), contentOf(before.terms)];
  const all = new Set([...one, ...other]).size;
  return all > 0 && one.filter((term) => other.includes(term)).length >= MOST_OF_BOTH * all;
}
