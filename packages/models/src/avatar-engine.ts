import type { KindEntry } from 'avatar-chat-catalogue';
import type { CallerFunctions } from './tools/caller.functions.js';

/** An avatar's engine entry in the catalogue: `kind` selects the engine, the other fields are its own. */
export type EngineEntry = KindEntry;

/** Maximum length of what a user says at a time, in characters. */
export const MAX_REQUEST = 8000;

/** The turn that an engine has to answer. It gets no other data of the user. */
export interface EngineTurn {
  readonly project_id: string;
  readonly user_id: string;
  /** Who takes a share of what users have in common: the user, then possibly the address. By default, the user. */
  readonly holders?: readonly string[];
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
  /** The latest turns of this user with this avatar, oldest first. A request is empty if nobody asked. */
  readonly history: readonly EngineExchange[];
  /** The user's latest requests to any avatar of the project, oldest first: for facts about the user. */
  readonly said?: readonly EngineSaid[];
  /** Identifier of the stored message. The same if the turn is repeated, so it can be the key of side effects. */
  readonly message_id: string;
  /** The session that the turn is tied to, if any. */
  readonly session?: string;
  /** From 1: how often an engine has been asked about this message, including this time. */
  readonly attempt: number;
  /** What the client of a live session tells the model, if the project allows it. */
  readonly client?: ClientContext;
  /** Pictures that the user of a live session shows, as `data:` URLs: for engines whose entry has `images`. */
  readonly images?: readonly string[];
  /** What {@link BeforeTurn} providers know about the request: data, never instructions. */
  readonly context?: string;
  /** Hands the conversation over to a person, where one may take it. */
  readonly handover?: TurnHandover;
  /** Counts what the answer takes; omitted: nothing is counted. */
  readonly meter?: TurnMeter;
  /** Aborted when the client has left, or the time is up. */
  readonly signal: AbortSignal;
  /** Names the documents that the answer is from, in place of earlier ones: clients show them with it. */
  readonly cite?: (sources: readonly TurnSource[]) => void;
  /** Functions that the model may call, and that whoever asks for the turn runs. Engines without functions ignore them. */
  readonly caller?: CallerFunctions;
}

/** How an engine hands a conversation over. */
export interface TurnHandover {
  /** Whether it has: then the turn may end without an answer. */
  readonly isRequested: boolean;
  request(): Promise<void>;
}

/** Part of a document that an answer is from. */
export interface TurnSource {
  readonly document_id: string;
  readonly title: string;
  /** Where people can read the document. */
  readonly url?: string;
  readonly text: string;
}

/** Counts what a turn takes, as soon as it is known. */
export interface TurnMeter {
  /** Whether the user has used up the day's tokens: a script answers where there is one. */
  readonly isExhausted?: boolean;
  countTokens(usage: TokenUsage): void;
  /** @param source where the tool comes from: `module`, `server` or `webhook` */
  countToolCall(source: string, result: string, seconds: number): void;
}

/** A message of a prompt. */
export interface PromptMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** How long a model may take, and where its tokens are counted. */
export type CompleteOptions = Pick<EngineTurn, 'signal' | 'meter'>;

/** The tokens of a request to a model. */
export interface TokenUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  /** Whether they are estimated by bytes, since the server did not report them. */
  readonly estimated: boolean;
}

/** What a client tells the model besides the user's words, as trusted as the project's own servers. */
export interface ClientContext {
  /** Possibly empty. */
  readonly instructions: string;
  /** A conversation before this one, in order; `system` and `developer` are instructions. */
  readonly items: readonly {
    readonly role: 'user' | 'assistant' | 'system' | 'developer';
    readonly text: string;
  }[];
}

/** May be returned at the end of an answer, for the operator's statistics. */
export interface EngineResult {
  /** Whether it had an answer; false if it admitted that it has none. */
  readonly isAnswered: boolean;
}

/** Yielded by an engine: all of its earlier pieces turned out to be no part of the answer. */
export const RETRACT: unique symbol = Symbol('retract');
export type AnswerPiece = string | typeof RETRACT;

/** An earlier turn. `answer` is truncated if the user interrupted it, and empty if a client has deleted it. */
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
 * Answers for an avatar. Extend it and provide it in any module; it is discovered at startup, and an avatar selects it
 * by its kind. `engineContract` tests it.
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
   * Whether a model answers: then, unless the avatar says `"care": false`, the scripts answer words of danger before it is
   * asked.
   */
  readonly isModel?: boolean;

  /**
   * Validates an engine entry of the catalogue when it is applied, without network access.
   *
   * @returns the faults, each starting with the name of its field; `[]` if there are none
   */
  abstract validate(entry: EngineEntry): string[];

  /** Called when a user is about to talk with an avatar of this entry, so that slow resources can be loaded; live, with whose it is. */
  prepare?(entry: EngineEntry, language_code: string, project_id?: string, avatar_id?: string): void | Promise<void>;

  /**
   * Asks the model of an entry something else than for an answer to a user, such as what to remember. Engines without it
   * remember nothing.
   *
   * @returns the whole text, without reasoning. @throws any error
   */
  complete?(entry: EngineEntry, messages: readonly PromptMessage[], options: CompleteOptions): Promise<string>;

  /**
   * Answers in pieces, whose concatenation, from the last {@link RETRACT} on, is the answer. Keeps no state between calls. Ends soon after `turn.signal` is
   * aborted, with or without an error. A generator may return whether it had an answer; by default, it had.
   *
   * @throws EngineError if there is no answer, or it is incomplete
   */
  abstract reply(turn: EngineTurn): AsyncIterable<AnswerPiece, EngineResult | void>;
}

/**
 * The avatar could not answer. `message` is safe to show: it is always this service's own, never a provider's, which may
 * quote keys, URLs and users.
 */
export class EngineError extends Error {
  readonly code = 'engine_failed';

  constructor(message = 'The avatar could not answer.') {
    super(message);
    this.name = 'EngineError';
  }
}

/** The avatar answers as many as it can: a retry may succeed. */
export class EngineBusyError extends EngineError {
  constructor() {
    super('The avatar is answering others.');
    this.name = 'EngineBusyError';
  }
}
