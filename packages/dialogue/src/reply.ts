import { Reply, Said } from './turn/choose.js';
import { CompiledScript } from './script/compiled.js';
import { converse } from './conversation/converse.js';
import { followRules } from './conversation/follow-rules.js';
import { afterCrisis } from './care/aftercare.js';
import { dangerReply, emergencyReply } from './care/danger.js';
import { Turn } from './turn/turn.js';

/** Whether a script had an answer, admits that it has none, or met words of danger, which comes before everything. */
export type ReplyKind = 'answered' | 'unknown' | 'care';

/** A reply with its kind. */
export type KindReply = Reply & { readonly kind: ReplyKind };

const DANGER = /^(crisis|emergency|grease_fire|danger_.*|after_.*)$/;

/**
 * What a script answers to a turn. Everything comes from the turn and the time.
 *
 * @param others the script in its other languages: for danger, and for what the user said of themselves in those
 * @param now Unix time in milliseconds
 */
export function replyTo(turn: Said, script: CompiledScript, others: readonly CompiledScript[], now: number): KindReply {
  const care = careReplyTo(turn, script, others, now);
  if (care) return care;
  const reply = script.knowledge ? converse(turn, script, others, now) : followRules(turn, script, others);
  return { ...reply, kind: reply.isAnswered ? 'answered' : 'unknown' };
}

/** What is said to words of danger, in any of the script's languages, and in the turns after them; else undefined. */
function careReplyTo(
  turn: Said,
  script: CompiledScript,
  others: readonly CompiledScript[],
  now: number,
): KindReply | undefined {
  if (!script.knowledge) return undefined;
  const asked = new Turn(turn, script, others, now);
  const reply = emergencyReply(asked) ?? afterCrisis(asked);
  return reply && (DANGER.test(reply.id) ? { ...reply, kind: 'care' } : undefined);
}

/**
 * What is said to words of danger in any of the script's languages, in the language of the turn; else undefined. For
 * avatars that answer the turns after it otherwise. The parameters are those of {@link replyTo}.
 */
export function replyToDanger(
  turn: Said,
  script: CompiledScript,
  others: readonly CompiledScript[],
  now: number,
): Reply | undefined {
  return script.knowledge && dangerReply(new Turn(turn, script, others, now));
}
