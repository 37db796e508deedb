import { FollowUp } from '../format/script-file.js';
import { Origin } from '../script/answer-origins.js';
import { answerFrom, choose } from './choose.js';
import { isSure, partOf } from './parts.js';
import { Reply, Turn } from './turn.js';

/** What takes any reply takes but a short one. */
const MOST_WORDS = 12;

/** What is said to a request that one of the follow-ups of the last answer takes. */
export function followUpReply(turn: Turn): Reply | undefined {
  const origin = originOf(turn);
  let best: { followUp: FollowUp; score: number } | undefined;
  for (const followUp of origin?.entry.then ?? []) {
    const score = scoreOf(turn, followUp);
    if (score > (best?.score ?? 0)) best = { followUp, score };
  }
  return origin && best && replyFrom(turn, origin, best.followUp);
}

/** The same of a follow-up that takes any short reply that does not ask. */
export function anyReply(turn: Turn): Reply | undefined {
  const origin = originOf(turn);
  const found = origin?.entry.then?.find(({ say, match }) => say === undefined && match === undefined);
  const part = partOf(turn, turn.request);
  if (!origin || !found || part.asks || turn.request.includes('?') || part.words.length > MOST_WORDS) return undefined;
  return replyFrom(turn, origin, found);
}

/** Where the last answer comes from. */
function originOf({ last, script }: Turn): Origin | undefined {
  return last === '' ? undefined : script.origins.of(last);
}

/** How surely a follow-up takes a request, from 0 to 1. */
function scoreOf(turn: Turn, followUp: FollowUp): number {
  if ((followUp.say ?? followUp.match) === undefined) return 0;
  const { words } = partOf(turn, turn.request);
  const { examples, rules } = turn.script.takes(followUp);
  if (rules.best(words, turn.request)) return 1;
  const terms = turn.script.language.termsOf(words);
  const best = examples.best(terms, (term) => turn.script.knows(term));
  return best && isSure(best.score, terms) ? best.score : 0;
}

function replyFrom(turn: Turn, { intent }: Origin, { answer, again }: FollowUp): Reply | undefined {
  const text = again ? answerFrom(turn, intent.id) : choose(turn, answer ?? []);
  return text === undefined ? undefined : { id: intent.id, answer: text, kind: 'answered' };
}
