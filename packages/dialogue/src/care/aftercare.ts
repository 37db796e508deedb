import { answer } from '../conversation/answer.js';
import { answerFrom } from '../conversation/choose.js';
import { followUpReply } from '../conversation/follow-up.js';
import { partOf } from '../conversation/parts.js';
import { Reply, Turn } from '../conversation/turn.js';

/** As many turns a danger stays open after the last word about it. */
const TURNS = 4;
/** As far back is looked for what the danger was. */
const LOOK_BACK = 20;
const SHORT_REPLY = 3;
/** A question of fewer words may still be about the danger. */
const LEAST_OF_QUESTION = 5;
/** A question of so many that names nobody is about something else. */
const LEAST_OF_PLAIN_QUESTION = 4;
const CRISIS = 'crisis';
const OVERDOSE = 'danger_overdose';
const VIOLENCE = 'danger_violence';
/** Nothing must go into the mouth, nor out of it. */
const SWALLOWED: ReadonlySet<string> = new Set([
  OVERDOSE,
  'danger_poison',
  'danger_infant',
  'danger_unconscious',
  'danger_pet',
  'emergency',
]);
/** Intents of care for what may be said next in a crisis: the first that fits. */
const NEXT = ['after_means', 'after_why', 'after_plan', 'after_say', 'after_refusal', 'after_unsaid', 'whom_to_call'];
/** The same, unless something is asked. */
const OF_PEOPLE = ['after_contact', 'after_nearby'];
/** The user says that no danger was meant: that ends it. */
const MISREAD = 'after_misread';
/** Clear good news ends it too, and is answered as ever. */
const GOOD_NEWS = 'good_news';
/** What is said to anything else. */
const OTHERWISE = 'after_crisis';
/** Questions that do not lead away from danger. */
const ABOUT_SERVICE: ReadonlySet<string> = new Set(['privacy', 'human', 'want_human', 'person_or_robot']);

/** What is said in the turns after words of danger, until it is over: nothing else leads away from it. */
export function afterDanger(turn: Turn): Reply | undefined {
  const danger = openDanger(turn);
  if (danger === undefined) return undefined;
  const reply = (id: string): Reply | undefined => {
    const text = answerFrom(turn, id);
    return text === undefined ? undefined : { id, answer: text, kind: 'care' };
  };
  const next = nextOf(danger).find((id) => says(turn, id));
  if (next) return reply(next);
  if (isElsewhere(turn)) return undefined;
  if (danger !== CRISIS) {
    const followed = followUpReply(turn);
    return followed ? { ...followed, kind: 'care' } : (reply(danger) ?? reply('emergency'));
  }
  const asks = partOf(turn, turn.request).asks;
  const person = asks ? undefined : OF_PEOPLE.find((id) => says(turn, id));
  if (person) return reply(person);
  if (says(turn, 'after_thanks')) return reply('after_thanks');
  const isShort = turn.words.length <= SHORT_REPLY && dangerOf(turn, turn.last) !== undefined;
  const followed = isShort ? followUpReply(turn) : undefined;
  return followed ? { ...followed, kind: 'care' } : (reply(OTHERWISE) ?? reply(CRISIS));
}

/** The danger of which was told in this conversation and that is not over. */
function openDanger(turn: Turn): string | undefined {
  const { history } = turn.said;
  const known = history.slice(-LOOK_BACK).map(({ answer: text }) => dangerOf(turn, text));
  const at = known.findLastIndex((id) => id !== undefined);
  if (at < 0 || known.length - at > TURNS) return undefined;
  const since = [...history.slice(history.length - known.length + at + 1).map(({ request }) => request), turn.request];
  const isOver = (text: string) => {
    const words = turn.script.language.wordsOf(text);
    return turn.script.book.careSet(GOOD_NEWS).best(words, text) !== undefined;
  };
  if (known[at] === MISREAD || since.some(isOver)) return undefined;
  const told = known.slice(0, at + 1).findLast((id) => id !== undefined && !id.startsWith('after_'));
  return told ?? CRISIS;
}

/** The danger, or what was said after it, from which an answer comes. */
function dangerOf({ script, others }: Turn, text: string): string | undefined {
  for (const { book } of [script, ...others]) {
    const id = book.dangerAnswers.get(text);
    if (id) return id;
  }
  return undefined;
}

function nextOf(danger: string): readonly string[] {
  if (danger === CRISIS) return [MISREAD, ...NEXT];
  const mouth = SWALLOWED.has(danger) ? ['after_mouth'] : [];
  const own = danger === VIOLENCE ? ['after_violence'] : [];
  return [MISREAD, ...mouth, ...own, ...(danger === OVERDOSE ? ['after_means'] : [])];
}

function says({ script, words, request }: Turn, id: string): boolean {
  return script.book.careSet(id).best(words, request) !== undefined;
}

/** Whether a clear question leads to something else: who asks it is not held back. */
function isElsewhere(turn: Turn): boolean {
  const { asks, words } = partOf(turn, turn.request);
  if (!asks || words.length < LEAST_OF_PLAIN_QUESTION) return false;
  const found = answer(turn);
  if (found.kind === 'answered') return words.length >= LEAST_OF_QUESTION && !ABOUT_SERVICE.has(found.id);
  return !turn.script.language.namesPerson(words);
}
