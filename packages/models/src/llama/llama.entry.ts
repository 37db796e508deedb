import { type FieldRule, textRule } from 'avatar-chat-catalogue';
import { OPENAI_RULES, type OpenAiEntry, wholeNumberRule } from '../openai.entry.js';

/** The engine entry of an avatar whose answers come from a model inside the service. */
export interface LlamaEntry extends Pick<
  OpenAiEntry,
  'system_prompt' | 'context_tokens' | 'reasoning' | 'knowledge_tokens' | 'tools'
> {
  readonly kind: 'llama';
  /** The name of an installed model, or the path of a GGUF file. */
  readonly model: string;
  /** Most tokens of an answer; by default 300. */
  readonly max_tokens?: number;
  /** By default 0.7. */
  readonly temperature?: number;
}

/** It sees no images. */
const { images: _, ...TEXT_RULES } = OPENAI_RULES;

/** Rules of its fields. */
export const LLAMA_RULES = {
  ...TEXT_RULES,
  model: textRule(1000),
  context_tokens: wholeNumberRule(100, 131_072),
  max_tokens: wholeNumberRule(1, 8_192),
  temperature: [(value) => typeof value === 'number' && value >= 0 && value <= 2, 'must be a number from 0 to 2'],
} as const satisfies Readonly<Record<string, FieldRule>>;
