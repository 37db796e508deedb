import type { OpenAiServer } from '../openai/index.js';
import { type FieldRule, textRule } from '../platform/kinds/index.js';

/** The engine entry of an avatar that a model answers for. */
export interface OpenAiEntry extends OpenAiServer {
  readonly kind: 'openai';
  /** Who the avatar is; up to 32,000 characters. */
  readonly system_prompt: string;
  /** For the system prompt, the history and the request together, at about four bytes each; 3,000 if left out. */
  readonly context_tokens?: number;
  /** Names of the tools that the model may call. */
  readonly tools?: readonly string[];
}

/** What it has besides its server. */
export const OPENAI_RULES = {
  system_prompt: textRule(32_000),
  context_tokens: [
    (value) => Number.isInteger(value) && Number(value) >= 100 && Number(value) <= 1_000_000,
    'must be a whole number from 100 to 1,000,000',
  ],
} as const satisfies Readonly<Record<string, FieldRule>>;
