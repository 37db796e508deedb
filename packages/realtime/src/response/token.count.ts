import type { TokenUsage } from 'avatar-chat-models';

/** The tokens of an answer, which may take several requests to a model. */
export class TokenCount {
  input = 0;
  output = 0;

  add({ prompt_tokens, completion_tokens }: Pick<TokenUsage, 'prompt_tokens' | 'completion_tokens'>): void {
    this.input += prompt_tokens;
    this.output += completion_tokens;
  }
}
