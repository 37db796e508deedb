import type { Avatar, ChatType, ResolvedProject } from 'avatar-chat-catalogue';
import type { AnswerPiece, CallerFunctions, ClientContext } from 'avatar-chat-models';
import type { Owner, UsedBy } from '../session/participants.js';
import type { TokenCount } from './token.count.js';

/** What may change each time that an engine is asked about the same turn. */
export interface Asking {
  readonly caller?: CallerFunctions;
  readonly client?: ClientContext;
  /** Pictures that the user shows, as `data:` URLs. */
  readonly images?: readonly string[];
  /** What the model must not get of earlier turns. */
  readonly deleted?: { readonly answers: ReadonlySet<string>; readonly asked: ReadonlySet<string> };
  /** Whether part of the answer is stored already. */
  readonly continues?: boolean;
}

/** The user's words, and the avatar they are for. */
export interface LiveTurn extends Asking {
  readonly owner: Owner;
  /** Who takes a share of what users have in common: the user, then possibly the address. */
  readonly holders: readonly string[];
  readonly resolved: ResolvedProject;
  readonly avatar: Avatar;
  /** As it is stored. */
  readonly request: string;
  /** The user's words, if that is only a part of them. */
  readonly whole?: string;
  /** What the user had said before, without an answer as they went on: the engine is asked both. */
  readonly before?: string;
  readonly chat_type: ChatType;
  readonly language_code: string;
  readonly session?: string;
  /** Constant for the same words: a repetition is not stored again. */
  readonly key: string;
}

/**
 * An avatar's answer and its storage. Every promise may reject with a ServiceError, or because the database is
 * unavailable: then the state that was wanted last is stored later.
 */
export interface Reply {
  /** The answer, piece by piece, until it is complete or {@link end} is called. */
  pieces(): AsyncGenerator<AnswerPiece, void>;
  /** The same for an answer of an upstream server. Both end at the answer timeout. */
  relayed<T>(ask: (signal: AbortSignal) => AsyncIterable<T>): AsyncGenerator<T, void>;
  /** Whether {@link pieces} answers words of danger: then no upstream server is asked. */
  isCareful?(): Promise<boolean>;
  /** Whether a person answers instead, or the avatar has handed over. */
  readonly isTaken?: boolean;
  /** Instructions for an upstream server, if this is not an answer. */
  readonly cue?: string;
  /** What it is asked in place of the conversation. */
  readonly input?: string;
  /** Pictures that go with it. */
  readonly images?: readonly string[];
  /** Whether the answer is no part of the conversation. */
  readonly isOutOfBand?: boolean;
  /** Stores the message as far as it is known; called before its first audio. */
  begin(_id: string, answer: string): Promise<void>;
  /** Completes it. */
  finish(_id: string, answer: string): Promise<void>;
  /** Removes it instead: nothing of it was heard. */
  withdraw(_id: string): Promise<void>;
  /** Keeps only what was heard, after it was finished. */
  truncate(_id: string, answer: string): Promise<void>;
  /** What the answer takes. */
  readonly tokens?: TokenCount;
  /** The functions of the client, which a model may call. */
  readonly caller?: CallerFunctions;
  /** Stops the engine: the client left, or interrupts. */
  end(): void;
  /** Stops it for an erasure. */
  erase(error: unknown): void;
  /** The reply has ended. @param error why it is incomplete */
  leave(error?: unknown): void;
}

const nothing = () => Promise.resolve();

/** No answer: a person has the conversation. */
export const TAKEN: Reply = {
  isTaken: true,
  begin: nothing,
  finish: nothing,
  withdraw: nothing,
  truncate: nothing,
  async *pieces() {},
  async *relayed() {},
  end: () => undefined,
  erase: () => undefined,
  leave: () => undefined,
};

/** A request for an answer without words of the user, or with words that are not stored. */
export type LivePrompt = Omit<LiveTurn, 'key' | 'before' | 'whole'> & {
  readonly isStored: boolean;
  readonly usedBy: UsedBy;
};
