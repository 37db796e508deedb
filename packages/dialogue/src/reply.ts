import { afterDanger } from './care/aftercare.js';
import { foodCare } from './care/food-care.js';
import { withAllergyAdvice } from './care/allergies.js';
import { dangerReply, dangerReplyInTurn } from './care/danger.js';
import { answer } from './conversation/answer.js';
import { Reply, Said, Turn } from './conversation/turn.js';
import { CompiledScript } from './script/compiled-script.js';

/**
 * What a script answers to a turn. Everything comes from the turn and the time.
 *
 * @param others the script in its other languages: for danger, and for the name that the user told in those
 * @param now Unix time in milliseconds
 */
export function replyTo(said: Said, script: CompiledScript, others: readonly CompiledScript[], now: number): Reply {
  const turn = new Turn(said, script, others, now);
  return careReply(turn) ?? { ...withAllergyAdvice(turn, answer(turn)) };
}

/**
 * What is said to words of danger in any of the script's languages, in the language of the turn, and after them until it is over; else
 * undefined. It comes before models and documents too. The parameters are those of {@link replyTo}.
 */
export function replyToDanger(
  said: Said,
  script: CompiledScript,
  others: readonly CompiledScript[],
  now: number,
): Reply | undefined {
  const turn = new Turn(said, script, others, now);
  return dangerReplyInTurn(turn) ?? afterDanger(turn);
}

/**
 * An answer, from wherever it comes, with what must be heeded of an allergy of which the user has told.
 *
 * @param text the answer
 */
export function withAllergyNote(said: Said, script: CompiledScript, text: string): string {
  return withAllergyAdvice(new Turn(said, script, [], 0), { id: 'answer', answer: text, kind: 'answered' }).answer;
}

function careReply(turn: Turn): Reply | undefined {
  return dangerReply(turn) ?? afterDanger(turn) ?? foodCare(turn);
}
