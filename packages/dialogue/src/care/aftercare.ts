import { Reply } from '../turn/choose.js';
import { wants } from '../context/needed-score.js';
import { followUp } from '../follow-ups/follow.js';
import { isInterjection, isReply } from '../match/interjections.js';
import { Turn } from '../turn/turn.js';
import { skillReply } from '../skills/skills.js';
import { OTHER_THAN_CRISIS, THE_SAME } from '../match/scores.js';

/** As long as that a conversation stays with what was said. */
const TURNS = 4;
const SHORT_REPLY = 3;
/** What may be said next, each a set of phrases and what is said to it: the first that fits. */
const NEXT = ['after_plan', 'after_say', 'after_unsaid'];
/** The same, unless it is clearly about something else. */
const OF_PEOPLE = ['after_contact', 'after_nearby'];

/** The user says that no danger was meant: that ends it. */
const MISREAD = 'after_misread';

/** What is said in the turns after words of danger: warm, about the help that is there, nothing else. */
export function afterCrisis(turn: Turn): Reply | undefined {
  const { knowledge, said, whole } = turn;
  const answers = said.history.slice(-TURNS).map(({ answer }) => answer);
  const misread = knowledge.replies(MISREAD);
  const lately = answers.slice(answers.findLastIndex((answer) => misread.includes(answer)) + 1);
  if (!lately.some((answer) => isCrisis(turn, answer))) return undefined;
  const { words, text, terms, asks } = whole;
  const says = (name: string) => knowledge.set(name).best(words, text) !== undefined;
  if (says(MISREAD)) return turn.builtInReply(MISREAD, true);
  const next = NEXT.find(says);
  if (next) return turn.builtInReply(next, true);
  const best = knowledge.intents.best(terms);
  const isOther =
    best && best.score >= (asks ? OTHER_THAN_CRISIS : THE_SAME) && !isInterjection(best.rule) && !isReply(best.rule);
  const skill = skillReply(turn, whole);
  const isLighter = ['joke', 'story', 'fact', 'quiz'].some(says);
  if (isOther || isLighter || knowledge.last.best(words, text) || (skill && skill.id !== 'recollect_none'))
    return undefined;
  const person = OF_PEOPLE.find(says);
  if (person) return turn.builtInReply(person, true);
  // Who has told of a person who helps and asks for something else is not held back.
  const isHelped = knowledge.replies('after_contact').some((answer) => lately.includes(answer));
  if (isHelped && wants(turn, whole)) return undefined;
  if (says('thanks') || says('going_on')) return turn.builtInReply('after_thanks', true);
  const isJustNow = isCrisis(turn, lately.at(-1)!);
  return (isJustNow && words.length <= SHORT_REPLY && followUp(turn)) || turn.builtInReply('after_crisis', true);
}

function isCrisis({ script, others }: Turn, answer: string): boolean {
  return [script, ...others].some(
    (one) =>
      one.pointAfter(answer)?.topic.id === 'crisis' ||
      [...NEXT, ...OF_PEOPLE].some((name) => one.replies(name).includes(answer)),
  );
}
