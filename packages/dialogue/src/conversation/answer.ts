import { calculate } from '../skills/calculate.js';
import { answerFrom } from './choose.js';
import { anyReply, followUpReply } from './follow-up.js';
import { Meaning, Part, PARTING, partsOf } from './parts.js';
import { Reply, ReplyKind, Turn } from './turn.js';

/** A part that is not understood, of so many words, leaves more open than thanks beside it can answer. */
const FEW_WORDS = 2;
const FEW_OF_ADVICE = 6;
const ASKS_ADVICE = 'asks_advice';
const OF_SELF = 'of_self';
/** What a few words ask further of health or law: "is it contagious?", "and if I put butter on it?". */
const MORE_ADVICE = 'more_advice';

/**
 * What a script says to a request without danger. The first of these that has an answer:
 *
 * 1. a calculation: `12 * 7`
 * 2. a follow-up of the last answer: "another one"
 * 3. the intent of the part that asks, else of the last one that says something; thanks and the like only if
 *    nothing else is left open
 * 4. what takes any reply to the last answer
 * 5. careful advice to questions of health, law and spoiled food
 * 6. the same advice to a short further question about it
 * 7. that it does not know
 */
export function answer(turn: Turn): Reply {
  return calculated(turn) ?? followUpReply(turn) ?? meant(turn, partsOf(turn));
}

function calculated(turn: Turn): Reply | undefined {
  const result = calculate(turn.request, turn.script.language.code);
  if (result === undefined) return undefined;
  const text = result === null ? answerFrom(turn, 'no_result') : result;
  return text === undefined ? undefined : { id: 'calculate', answer: text, kind: 'answered' };
}

function meant(turn: Turn, parts: readonly Part[]): Reply {
  // "My mother has a fever, what can I do?" asks nothing without its first part.
  const careful = parts.some((part) => !part.meaning) ? advice(turn, parts) : undefined;
  if (careful) return careful;
  const meaning = meaningOf(turn, parts);
  const text = meaning && answerFrom(turn, meaning.id, meaning.slots);
  if (meaning && turn.script.intents.get(meaning.id)?.handover)
    return { ...(text === undefined ? admission(turn, parts) : reply(meaning.id, text, 'answered')), isHandover: true };
  if (text !== undefined) return reply(meaning!.id, text, 'answered');
  return anyReply(turn) ?? advice(turn, parts) ?? openAdvice(turn, parts) ?? admission(turn, parts);
}

/** What a request means whose parts do, or do not, mean something. */
function meaningOf({ script }: Turn, parts: readonly Part[]): Meaning | undefined {
  const known = parts.filter(({ meaning }) => meaning);
  const open = parts.filter(({ meaning, says, asks }) => !meaning && (says || asks));
  const closing = known.find(({ meaning }) => PARTING.has(meaning!.id));
  const isAside = ({ meaning }: Part) => script.intents.get(meaning!.id)?.aside === true;
  const main = known.filter((part) => !isAside(part));
  const asking = main.filter(({ asks }) => asks);
  const isAsked = open.some(({ asks }) => asks);
  // "The doorbell rings, bye!"
  if (closing && !isAsked && !asking.some(({ text }) => text.includes('?'))) return closing.meaning;
  const asked = asking.at(-1);
  // "The dinosaurs died out. Do you know why?" asks nothing without what stands before it.
  if (asked) return asked.says || open.length === 0 ? asked.meaning : undefined;
  if (main.length > 0) return isAsked || wordsIn(main) < wordsIn(open) ? undefined : main.at(-1)!.meaning;
  if (isAsked) return undefined;
  const isLast = known.length > 0 && known.at(-1) === parts.at(-1) && !known.at(-1)!.asks;
  const isLittle = open.every(({ words }) => words.length <= FEW_WORDS);
  return isLast || isLittle ? known.at(-1)?.meaning : undefined;
}

function wordsIn(parts: readonly Part[]): number {
  return parts.reduce((sum, { words }) => sum + words.length, 0);
}

/** Of health and law no more is said than who can help. */
function advice(turn: Turn, parts: readonly Part[]): Reply | undefined {
  const { script, words, request } = turn;
  const { advice: rules } = script.book;
  const needsIt = () =>
    parts.some(({ asks }) => asks) || [ASKS_ADVICE, OF_SELF].some((id) => script.book.careSet(id).best(words, request));
  const match = rules.best(words, request);
  const text = match && needsIt() ? answerFrom(turn, match.rule) : undefined;
  return text === undefined ? undefined : adviceReply(match!.rule, text);
}

/** What asks further, in a few words, of what the last answer was careful about. */
function openAdvice(turn: Turn, parts: readonly Part[]): Reply | undefined {
  const { script, last, words, request } = turn;
  const { id, priority = 0 } = script.origins.of(last)?.intent ?? {};
  if (id === undefined || priority >= 0 || words.length > FEW_OF_ADVICE || !parts.some(({ asks }) => asks))
    return undefined;
  if (!script.book.careSet(MORE_ADVICE).best(words, request)) return undefined;
  const text = answerFrom(turn, id);
  return text === undefined ? undefined : adviceReply(id, text);
}

/** Of food documents may know more, of health and law only those of the operator. */
function adviceReply(id: string, text: string): Reply {
  return id === 'safe_food' ? reply(id, text, 'unknown') : { ...reply(id, text, 'care'), isAdvice: true };
}

/** Says honestly that nothing is known, and greets who greets. */
function admission(turn: Turn, parts: readonly Part[]): Reply {
  const { language } = turn.script;
  const isKnown = [...language.termsOf(turn.words).keys()].some((term) => turn.script.knows(term));
  const isAsked = !isKnown || parts.some(({ asks }) => asks) || parts.every(({ says }) => !says);
  const id = isAsked ? 'unknown' : 'heard';
  const text = answerFrom(turn, id) ?? answerFrom(turn, 'unknown') ?? '…';
  const greets = parts.some((part) => part.greets || part.meaning?.id === 'greeting');
  const greeted = greets ? answerFrom(turn, 'greeted') : undefined;
  return reply(id, greeted ? greeted.replace('{text}', () => text) : text, 'unknown');
}

function reply(id: string, text: string, kind: ReplyKind): Reply {
  return { id, answer: text, kind };
}
