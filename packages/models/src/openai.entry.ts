import type { OpenAiServer } from './openai.server.js';
import type { EngineEntry } from './avatar-engine.js';
import { type FieldRule, textRule } from 'avatar-chat-catalogue';

/** The engine entry of an avatar whose answers come from a model. */
export interface OpenAiEntry extends OpenAiServer {
  readonly kind: 'openai';
  /** The avatar's personality; up to 32,000 characters. */
  readonly system_prompt: string;
  /** Budget for system prompt, history and request together, at about four bytes per token; by default 3,000. */
  readonly context_tokens?: number;
  /** Whether text is held back until `</think>`: for a server that sends a model's reasoning without its start. */
  readonly reasoning?: boolean;
  /** Whether the model can see pictures. */
  readonly images?: boolean;
  /** Share of that budget for quotations from documents; by default 1,200. */
  readonly knowledge_tokens?: number;
  /** Names of the tools that the model may call. */
  readonly tools?: readonly string[];
}

/** Whether an avatar's model can see pictures. */
export function seesImages(entry: EngineEntry): boolean {
  return entry.images === true;
}

/** The rule of a whole number. */
export function wholeNumberRule(least: number, most: number): FieldRule {
  const rule = `must be a whole number from ${least} to ${most.toLocaleString('en')}`;
  return [(value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most, rule];
}

/** Rules of its fields besides those of the server. */
export const OPENAI_RULES = {
  system_prompt: textRule(32_000),
  context_tokens: wholeNumberRule(100, 1_000_000),
  reasoning: [(value) => typeof value === 'boolean', 'must be true or false'],
  images: [(value) => typeof value === 'boolean', 'must be true or false'],
  knowledge_tokens: wholeNumberRule(100, 8_000),
} as const satisfies Readonly<Record<string, FieldRule>>;
