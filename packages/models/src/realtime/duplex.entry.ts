import { textRule } from 'avatar-chat-catalogue';
import type { EngineEntry } from '../avatar-engine.js';
import type { OpenAiEntry } from '../openai.entry.js';

export const DUPLEX_KIND = 'openai-live';

/** The engine entry of an avatar with a model, whose answers a full-duplex model of the same server speaks. */
export interface DuplexEntry extends Omit<OpenAiEntry, 'kind'> {
  readonly kind: typeof DUPLEX_KIND;
  /** By default `gpt-live-1`. */
  readonly live_model?: string;
  /** One of the server's voices. */
  readonly voice?: string;
}

/** Rules of its fields besides those of the engine `openai`. */
export const DUPLEX_RULES = { live_model: textRule(200), voice: textRule(100) } as const;

/** How a session of OpenAI's Live API starts. */
export interface LiveStart {
  readonly model: string;
  readonly instructions: string;
  readonly audio: { readonly format: object; readonly output?: { readonly voice: string } };
  /** The caller does what the server delegates. */
  readonly delegation: { readonly type: 'client' };
}

export function isDuplexEntry(entry: EngineEntry): entry is EngineEntry & DuplexEntry {
  return entry.kind === DUPLEX_KIND;
}
