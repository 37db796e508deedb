import { endOf } from '../match/rules.js';
import { Sentence, sentenceOf } from '../text/sentences.js';
import { saysOf } from '../text/terms.js';
import { Turn } from '../turn/turn.js';
import { Word, writtenAs } from '../text/words.js';
import { rememberedIn } from '../skills/memory.js';

/** Begin another part of a sentence, in any language. */
const JOINS = new Set('and but because und aber weil y e pero porque'.split(' '));
/** Says much by itself, in any language: "I live in Hamburg and know nobody". */
const NOBODY = new Set('nobody niemand niemanden niemandem nadie ninguno'.split(' '));
const LEAST_PART = 3;
/** What is said besides what is remembered is what it is about, from so many words that say something on. */
const MUCH = 2;

/** Whether a sentence says much besides what is remembered of it: "I'm 45 and I want to change my job". */
export function saysMore(turn: Turn, sentence: Sentence): boolean {
  return besides(turn, sentence) >= MUCH;
}

/** The parts of a sentence that say something besides what is remembered of it. */
export function partsBesides(turn: Turn, { words, text }: Sentence): Sentence[] {
  const parts: Word[][] = [[]];
  for (const word of words)
    if (JOINS.has(word.text)) parts.push([]);
    else parts.at(-1)!.push(word);
  if (parts.length < 2) return [];
  return parts
    .filter((part) => part.length >= LEAST_PART)
    .map((part) => sentenceOf(writtenAs(text, part), turn.knowledge.terms))
    .filter((part) => besides(turn, part) > 0);
}

/** How many words that say something stand outside of what is remembered. */
function besides(turn: Turn, sentence: Sentence): number {
  const { knowledge } = turn;
  const { words, text } = sentence;
  const sets = [knowledge.slots, knowledge.set('introduction')];
  const caught = [...sets.flatMap((set) => set.catches(words, text)), ...rememberedIn(turn, sentence)];
  const rest = words.filter((_, place) => !caught.some((match) => match.at <= place && place < endOf(match)));
  return saysOf(knowledge.terms.ofWords(rest)) + (rest.some(({ text: word }) => NOBODY.has(word)) ? MUCH : 0);
}
