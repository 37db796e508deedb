import { Reply } from '../turn/choose.js';
import { LEAVES_OUT, NEGATIONS } from '../text/shape.js';
import { Sentence } from '../text/sentences.js';
import { contentOf } from '../text/terms.js';
import { Turn } from '../turn/turn.js';
import { Word } from '../text/words.js';

const MOODS = ['grief', 'exhaustion', 'worry', 'anger', 'joy'] as const;
const MOST_CONTENT = 1;
/** From this priority on an acknowledgement is of a mood, which a wish or a problem may have too. */
const MOOD = 50;
/** Begin another part of a sentence, in any language. */
const TURNS_TO = new Set(
  'but just only rather simply sondern nur aber einfach eher sino solo pero mas solamente'.split(' '),
);

/**
 * What is said to a mood in a sentence that negates one: "I'm not sad, just exhausted" is about exhaustion, "I'm not
 * happy" about something sad.
 */
export function negatedMood(turn: Turn, { words, text, terms }: Sentence): Reply | undefined {
  if (!terms.shape?.isNegated || terms.shape.asks) return undefined;
  const moods = moodsIn(turn, words, text);
  const own = moods.find(({ isNegated }) => !isNegated)?.mood;
  // "Sounds good, but I don't like eggs" is about eggs.
  if (own) return own === 'joy' && moods.length < 2 ? undefined : turn.builtInReply(`mood_${own}`, true);
  // "Not so good today" says how one feels, "not so good at maths" what one is good at.
  return moods.some(({ mood }) => mood === 'joy') && contentOf(terms).length <= MOST_CONTENT
    ? turn.builtInReply('mood_grief', true)
    : undefined;
}

/** What is said to gladness beside something else: "I'm happy for her, but also a little sad". */
export function mixedMood(turn: Turn, { words, text, terms, asks }: Sentence): Reply | undefined {
  if (asks || terms.shape?.isNegated || !words.some((word) => TURNS_TO.has(word.text))) return undefined;
  const moods = moodsIn(turn, words, text);
  const isGlad = moods.some(({ mood }) => mood === 'joy');
  return isGlad && moods.some(({ mood }) => mood !== 'joy') ? turn.builtInReply('mood_mixed', true) : undefined;
}

function moodsIn(turn: Turn, words: readonly Word[], text: string) {
  return partsOf(words).flatMap((part) => {
    const mood = MOODS.find((name) => turn.knowledge.set(`mood_${name}`).best(part, text));
    const isNegated = part.some((word) => NEGATIONS.has(word.text) && !LEAVES_OUT.has(word.text));
    return mood ? [{ mood, isNegated }] : [];
  });
}

function partsOf(words: readonly Word[]): Word[][] {
  const parts: Word[][] = [[]];
  words.forEach((word, index) => {
    const begins = word.clause !== words[index - 1]?.clause || TURNS_TO.has(word.text);
    if (begins && index > 0) parts.push([]);
    parts.at(-1)!.push(word);
  });
  return parts;
}

/** What weighs on the user goes before what is kept of it: "I've an exam on Friday and I'm terrified". */
export function weighing(turn: Turn, { words, text }: Sentence): Reply | undefined {
  const match = turn.knowledge.acknowledge.best(words, text);
  return match && match.rule.priority > MOOD ? turn.replyFrom(match.rule, match.slots) : undefined;
}
