import { FollowUp, Intent } from '../format/script-file.js';
import { answerFrom } from '../conversation/choose.js';
import { followUpReply } from '../conversation/follow-up.js';
import { partOf } from '../conversation/parts.js';
import { Reply, Turn } from '../conversation/turn.js';

/** As long as that a conversation stays with what was said. */
const TURNS = 4;
const SHORT_REPLY = 3;
const CRISIS = 'crisis';
/** Intents of care for what may be said next: the first that fits. */
const NEXT = ['after_plan', 'after_say', 'after_unsaid', 'whom_to_call'];
/** The same, unless something is asked. */
const OF_PEOPLE = ['after_contact', 'after_nearby'];
/** The user says that no danger was meant: that ends it. */
const MISREAD = 'after_misread';
/** What is said to anything else. */
const OTHERWISE = 'after_crisis';

/** What is said in the turns after words of despair: warm, about the help that is there, nothing else. */
export function afterCrisis(turn: Turn): Reply | undefined {
  const { script, said, words, request } = turn;
  const answers = said.history.slice(-TURNS).map(({ answer }) => answer);
  const misread = script.answersOf(MISREAD);
  const lately = answers.slice(answers.findLastIndex((answer) => misread.includes(answer)) + 1);
  if (!lately.some((answer) => isOfCrisis(turn, answer))) return undefined;
  const says = (id: string) => script.book.careSet(id).best(words, request) !== undefined;
  const reply = (id: string): Reply | undefined => {
    const answer = answerFrom(turn, id);
    return answer === undefined ? undefined : { id, answer, kind: 'care' };
  };
  const next = [MISREAD, ...NEXT].find(says);
  if (next) return reply(next);
  // Who asks for something else is not held back.
  if (partOf(turn, request).asks) return undefined;
  const person = OF_PEOPLE.find(says);
  if (person) return reply(person);
  if (says('after_thanks')) return reply('after_thanks');
  const isJustNow = isOfCrisis(turn, lately.at(-1)!);
  const followed = isJustNow && words.length <= SHORT_REPLY ? followUpReply(turn) : undefined;
  return followed ? { ...followed, kind: 'care' } : reply(OTHERWISE);
}

function isOfCrisis({ script, others }: Turn, answer: string): boolean {
  const ids = [CRISIS, ...NEXT.filter((id) => id.startsWith('after_')), ...OF_PEOPLE];
  return [script, ...others].some(({ book }) => ids.some((id) => isFrom(book.care.get(id), answer)));
}

function isFrom(entry: Intent | FollowUp | undefined, answer: string): boolean {
  if (!entry) return false;
  return entry.answer?.includes(answer) === true || (entry.then ?? []).some((one) => isFrom(one, answer));
}
