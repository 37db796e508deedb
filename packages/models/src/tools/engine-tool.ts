import type { EngineTurn } from '../avatar-engine.js';

/** The turn in which a model calls a tool. Its `signal` is also aborted when the tool's own time is up. */
export type ToolTurn = Omit<
  EngineTurn,
  'engine' | 'history' | 'said' | 'context' | 'cite' | 'meter' | 'caller' | 'client' | 'handover'
>;

/**
 * A tool that a model may call while it answers: to look up an order, or to book a table. Extend it and provide it in any
 * module; an avatar names the tools that its model may call.
 *
 * @example
 * ```ts
 * @Injectable()
 * export class FindOrder extends EngineTool {
 *   readonly name = 'find_order';
 *   readonly description = 'The state of one of the user\'s orders.';
 *   readonly parameters = {
 *     type: 'object',
 *     properties: { number: { type: 'string', pattern: '^[0-9]{6}$' } },
 *     required: ['number'],
 *     additionalProperties: false,
 *   };
 *   run = ({ number }: { number: string }, { user_id }: ToolTurn) => this.orders.find(user_id, number);
 * }
 * ```
 */
export abstract class EngineTool {
  /** Unique among all tools: up to 64 of `A-Z a-z 0-9 _ -`. */
  abstract readonly name: string;

  /** Its purpose, in up to 1,024 characters: the model decides by it when to call the tool. */
  abstract readonly description: string;

  /** JSON Schema of the arguments, which are an object. The keyword `format` is not checked. */
  abstract readonly parameters: Readonly<Record<string, unknown>>;

  /**
   * Runs the tool. If it throws, the error is logged without its message, and the model learns that the tool failed.
   *
   * @param args valid by the schema, but written by a model: no more trusted than what a user says
   * @returns a value for the model, up to 16 KiB as JSON
   */
  abstract run(args: never, turn: ToolTurn): unknown;
}
