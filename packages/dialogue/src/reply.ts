import { Reply, Said } from './turn/choose.js';
import { CompiledScript } from './script/compiled.js';
import { converse } from './conversation/converse.js';
import { followRules } from './conversation/follow-rules.js';

/**
 * What a script answers to a turn. Everything comes from the turn and the time.
 *
 * @param others the script in its other languages: for danger, and for what the user said of themselves in those
 * @param now Unix time in milliseconds
 */
export function replyTo(turn: Said, script: CompiledScript, others: readonly CompiledScript[], now: number): Reply {
  return script.knowledge ? converse(turn, script, others, now) : followRules(turn, script, others);
}
