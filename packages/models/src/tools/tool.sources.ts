import type { FieldRule } from 'avatar-chat-catalogue';
import type { EngineTurn } from '../avatar-engine.js';
import type { ArgumentsCheck } from './arguments.check.js';
import type { ToolTurn } from './engine-tool.js';

/** A tool that a model may be offered. */
export interface OfferedTool {
  /** As avatars name it: `find_order`, `crm.find_order`. */
  readonly name: string;
  /** Its purpose, in up to 1,024 characters. */
  readonly description: string;
  /** JSON Schema of its arguments, which are an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Where it is from, for the metrics. */
  readonly source: 'module' | 'server' | 'webhook';
  readonly check: ArgumentsCheck;
  /**
   * @param json the arguments with all digits of their numbers
   * @returns a value for the model, up to 16 KiB as JSON @throws ToolError, or any other error
   */
  run(args: never, turn: ToolTurn, json: string): unknown;
}

/** The tools of a turn. */
export interface FoundTools {
  readonly tools: readonly OfferedTool[];
  /** Sentences in English for the system prompt, such as which tools cannot be used now. */
  readonly remarks: readonly string[];
}

/** The tools of a turn, by the names that its model gets to see, and sentences for its system prompt. */
export interface TurnTools {
  readonly tools: ReadonlyMap<string, OfferedTool>;
  readonly remarks: readonly string[];
}

/** All tools that there are. */
export interface Tools {
  /** The rule of an engine entry's `tools`. */
  readonly rule: FieldRule;
  /** The tools that an avatar names. Never rejects. */
  find(turn: Pick<EngineTurn, 'project_id' | 'signal'>, names: readonly string[]): Promise<TurnTools>;
}

/** Brings the tools of a project, besides those of modules. Provide it in any module. */
export abstract class ToolSource {
  /**
   * Finds those that an avatar names. Bounded in time by itself.
   *
   * @param names what the avatar's entry has, without tools of modules; others than its own are ignored
   */
  abstract findTools(turn: Pick<EngineTurn, 'project_id' | 'signal'>, names: readonly string[]): Promise<FoundTools>;
}

/** Why a call has no result, in the words that the model gets. */
export class ToolError extends Error {
  /** @param told what the model learns besides; none of it is logged @param reason for the log, in place of the stack */
  constructor(
    readonly code: 'tool_failed' | 'result_too_large' | 'tool_timed_out' = 'tool_failed',
    readonly told?: string,
    readonly reason?: string,
  ) {
    super(code);
    this.name = 'ToolError';
  }
}
