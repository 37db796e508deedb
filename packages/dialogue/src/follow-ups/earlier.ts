import { Reply } from '../turn/choose.js';
import { isInterjection, isReply } from '../match/interjections.js';
import { pointingIn } from '../context/pointing.js';
import { RuleSet } from '../match/rules.js';
import { nextIfAgreed } from '../context/steps.js';
import { contentOf } from '../text/terms.js';
import { OTHER_REPLY, SURE } from '../match/scores.js';
import { Turn } from '../turn/turn.js';

/** So many answers back what follows one up may still be asked for. */
const TURNS = 5;
/** From this share of its words on a request says no more than the follow-up's phrase does. */
const WHOLE = 0.6;
/** Of one that an intent has too. */
const MOST = 0.8;

/** What follows up an earlier answer, as long as all that came since hung on it: "and what should I say on the phone?". */
export function followEarlier(turn: Turn): Reply | undefined {
  const { knowledge, said, whole } = turn;
  const content = contentOf(whole.terms).length;
  const best = knowledge.intents.best(whole.terms);
  const isSure = best !== undefined && best.score >= SURE && content > 0;
  if (best && best.score >= OTHER_REPLY && (isReply(best.rule) || isInterjection(best.rule))) return undefined;
  const told = new Set(said.history.map(({ answer }) => answer));
  for (const [index, { answer }] of said.history.slice(-TURNS).toReversed().entries()) {
    const point = turn.pointAfter(answer);
    const open = point && knowledge.isIntent(point.topic) ? [point.rule.then, point.topic.then] : [];
    for (const then of index === 0 || whole.words.length > 1 ? open : []) {
      const found = then && fitting(turn, then, told, isSure ? MOST : WHOLE);
      if (found) return found;
    }
    if (isSure) return undefined;
    if (!hangs(turn, index)) return undefined;
  }
  return undefined;
}

function fitting(turn: Turn, then: RuleSet, told: ReadonlySet<string>, least: number): Reply | undefined {
  const { words, text } = turn.whole;
  const match = then.best(words, text);
  // What an offer leads to is not taken turns later: "I'd like to" may mean anything.
  if (!match || match.rule.again || match.rule === nextIfAgreed(then) || match.weight / words.length < least)
    return undefined;
  return match.rule.answers.some((answer) => !told.has(answer)) ? turn.replyFrom(match.rule, match.slots) : undefined;
}

/** Whether an earlier request, the last being 0, hung on what was said before it, or told more of it. */
function hangs(turn: Turn, index: number): boolean {
  const { knowledge, requests, said } = turn;
  const request = requests[index];
  if (!request) return false;
  const { words, text, terms, asks } = request;
  if (!turn.pointAfter(said.history.at(-1 - index)!.answer) || !asks || contentOf(terms).length < 2) return true;
  return knowledge.set('continue').best(words, text) !== undefined || pointingIn(knowledge, request) !== undefined;
}
