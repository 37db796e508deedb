import type { EngineTurn } from './avatar-engine.js';

/** The turn, or the start of the live conversation, that a prompt is for. In a live conversation `request` is empty. */
export type PromptedTurn = Pick<
  EngineTurn,
  | 'project_id'
  | 'user_id'
  | 'avatar'
  | 'engine'
  | 'language_code'
  | 'chat_type'
  | 'request'
  | 'history'
  | 'said'
  | 'context'
  | 'cite'
  | 'client'
  | 'images'
>;

/**
 * Adds a paragraph to the system prompt of every model: passages of documents, facts about the user, the state of tools.
 * Extend it and provide it in any module. If it throws or takes longer than 2 s, the model answers without it.
 */
export abstract class PromptSource {
  /** Lower values come earlier; 0 by default. */
  readonly order: number = 0;

  /**
   * @param tokens the model's budget for the whole prompt, at about four bytes per token
   * @returns a paragraph in English that says how it is to be used; undefined if there is nothing to add
   */
  abstract paragraphFor(turn: PromptedTurn, tokens: number): string | undefined | Promise<string | undefined>;
}

/** What all sources add to a prompt. */
export interface Prompts {
  /** The paragraphs for a prompt, in order. Never rejects. */
  paragraphsFor(turn: PromptedTurn, tokens: number): Promise<string[]>;
}
