import { OpenAiEngine } from '../openai.engine.js';
import { DUPLEX_KIND, DUPLEX_RULES } from './duplex.entry.js';

/** Answers as `openai` does. In live sessions, a full-duplex model hears the user and speaks these answers. */
export class OpenAiLiveEngine extends OpenAiEngine {
  override readonly kind = DUPLEX_KIND;
  protected override readonly more = DUPLEX_RULES;
}
