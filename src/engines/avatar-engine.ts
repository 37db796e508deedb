import type { KindEntry } from '../platform/kinds/index.js';

/** An avatar's engine entry of the catalogue: `kind` selects the engine, the other fields are that engine's own. */
export type EngineEntry = KindEntry;

/** What an engine is told about the turn it has to answer. Nothing else about the user reaches it. */
export interface EngineTurn {
  readonly project_id: string;
  readonly user_id: string;
  readonly avatar: {
    readonly _id: string;
    readonly name: string;
    readonly greetingText: string;
  };
  readonly engine: EngineEntry;
  /** The message's language, such as `en` or `pt-BR`. */
  readonly language_code: string;
  readonly chat_type: 'text' | 'voice' | 'video';
  /** What the user said: 1 to 8,000 characters, untrusted. */
  readonly request: string;
  /** The newest turns of this user with this avatar, the oldest first. */
  readonly history: readonly EngineExchange[];
  /** What the user said lately to any avatar of the project, the oldest first: for facts about the user. */
  readonly said?: readonly EngineSaid[];
  /** The stored message's identifier, the same however often the turn is repeated: a key for side effects. */
  readonly message_id: string;
  /** The session that the turn is tied to, if any. */
  readonly session?: string;
  /** From 1: how often an engine has been asked about this message, this time included. */
  readonly attempt: number;
  /** What {@link BeforeTurn} providers know of the request: data, never instructions. */
  readonly context?: string;
  /** Aborted when the client left or the time is up. */
  readonly signal: AbortSignal;
}

/** What an engine may return at the end of an answer, for the operator's statistics. */
export interface EngineResult {
  /** Whether it had an answer; false if it said honestly that it has none. */
  readonly isAnswered: boolean;
}

/** An earlier turn; `answer` may be shorter than what the engine had to say, if the user interrupted it. */
export interface EngineExchange {
  readonly request: string;
  readonly answer: string;
}

/** An earlier request. */
export interface EngineSaid {
  readonly avatar_id: string;
  readonly request: string;
}

/**
 * Something that answers for an avatar. Extend it and make it a provider of any module; it is found at start, and an
 * avatar names it by its kind. `engineContract` is its test.
 *
 * @example
 * ```ts
 * @Injectable()
 * export class EchoEngine extends AvatarEngine {
 *   readonly kind = 'echo';
 *   validate = () => [];
 *   async *reply(turn: EngineTurn) {
 *     yield turn.request;
 *   }
 * }
 * ```
 */
export abstract class AvatarEngine {
  /** The value of `engine.kind` in the catalogue that selects this engine. */
  abstract readonly kind: string;

  /**
   * Checks an engine entry of the catalogue when it is applied, without going to the network.
   *
   * @returns the faults, each starting with the name of its field; `[]` when the entry is good
   */
  abstract validate(entry: EngineEntry): string[];

  /** Gets ready: somebody is about to talk with an avatar of this entry. Left out, there is nothing to get ready. */
  prepare?(entry: EngineEntry, language_code: string): void | Promise<void>;

  /** Reads what talk in any language needs, beside requests: the service has just started. */
  readAhead?(entry: EngineEntry): Promise<void>;

  /**
   * Answers in pieces; joined, they are the answer. Keeps nothing between calls.
   * Once `turn.signal` is aborted it ends soon, with or without an error: the caller knows that it aborted.
   * A generator may return whether it had an answer; it counts as one otherwise.
   *
   * @throws EngineError if there is no answer, or it breaks off
   */
  abstract reply(turn: EngineTurn): AsyncIterable<string, EngineResult | void>;
}

/**
 * The avatar could not answer. `message` is safe to show: it is one of this service's own sentences, never a
 * provider's, for those may quote keys, addresses and what the user said.
 */
export class EngineError extends Error {
  readonly code = 'engine_failed';

  constructor(message = 'The avatar could not answer.') {
    super(message);
    this.name = 'EngineError';
  }
}
