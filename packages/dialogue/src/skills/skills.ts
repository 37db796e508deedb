import { Reply } from '../turn/choose.js';
import { Sentence } from '../text/sentences.js';
import { Turn } from '../turn/turn.js';
import { calculate } from './calculate.js';
import { tellTime } from './clock.js';
import { convert } from './convert.js';
import { helpWith } from './help.js';
import { confirm, recall } from './memory.js';
import { quiz } from './quiz.js';
import { recollect } from './recollect.js';
import { Skill } from './skill.js';

/** "What time is it?" asks for nothing that the user told, "what time is my train?" does. */
const tellTimeAlone: Skill = (turn, sentence) => (sentence.terms.shape?.isOwn ? undefined : tellTime(turn, sentence));
const SKILLS: readonly Skill[] = [recall, calculate, convert, tellTimeAlone, recollect, tellTime, quiz, helpWith];

/** What can be worked out rather than looked up: the answer of the first skill that understands the sentence. */
export function skillReply(turn: Turn, sentence: Sentence): Reply | undefined {
  for (const skill of SKILLS) {
    const reply = skill(turn, sentence);
    if (reply) return reply;
  }
  return undefined;
}

/** Confirms what the user says of themselves, if it will be remembered. */
export function tellReply(turn: Turn, sentence: Sentence): Reply | undefined {
  return confirm(turn, sentence);
}
