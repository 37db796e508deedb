import type { OpenAiServer } from '../openai.server.js';
import { textRule } from 'avatar-chat-catalogue';
import type { EngineEntry } from '../avatar-engine.js';
import { OPENAI_RULES } from '../openai.entry.js';

export const REALTIME_KIND = 'openai-realtime';

/** The engine entry of an avatar for which an OpenAI Realtime server hears and speaks. */
export interface RealtimeEntry extends OpenAiServer {
  readonly kind: typeof REALTIME_KIND;
  /** The avatar's personality; up to 32,000 characters. */
  readonly system_prompt?: string;
  /** One of the server's voices. */
  readonly voice?: string;
  /** As for the engine `openai`. */
  readonly context_tokens?: number;
  /** As for the engine `openai`; for turns in text. */
  readonly reasoning?: boolean;
  readonly knowledge_tokens?: number;
  /** As for the engine `openai`; in live sessions. */
  readonly images?: boolean;
}

/** Rules of its fields besides those of the server. */
export const REALTIME_RULES = { ...OPENAI_RULES, voice: textRule(100) } as const;

export function isRealtimeEntry(entry: EngineEntry): entry is EngineEntry & RealtimeEntry {
  return entry.kind === REALTIME_KIND;
}
