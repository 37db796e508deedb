import type { EngineTurn } from './avatar-engine.js';

/** The turn in which a model calls a tool. Its `signal` is aborted also when the tool's own time is up. */
export type ToolTurn = Omit<EngineTurn, 'engine' | 'history' | 'said' | 'context'>;

/**
 * Something that a model may do while it answers: look up an order, book a table. Extend it and make it a provider of any
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

  /** What it is for, in up to 1,024 characters: by this the model decides when to call it. */
  abstract readonly description: string;

  /** JSON Schema of the arguments, which are an object. The keyword `format` is not checked. */
  abstract readonly parameters: Readonly<Record<string, unknown>>;

  /**
   * Does it. What it throws only reaches the log, without its message: the model learns that the tool failed.
   *
   * @param args what the schema allows; a model wrote them, so that they are no more trusted than what a user says
   * @returns what JSON can hold, up to 16 KiB of it
   */
  abstract run(args: never, turn: ToolTurn): unknown;
}
