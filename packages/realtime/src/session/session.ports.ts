import type { Readable } from 'node:stream';
import type { Avatar, KindEntry, Project } from 'avatar-chat-catalogue';
import type { SpeechSamples, TranscriptionEvent, TranscriptionOptions, TranscriptionStream } from 'avatar-chat-media';
import type {
  ConnectionOptions,
  ConversationListener,
  EngineExchange,
  LiveStart,
  OpenAiServer,
  PromptedTurn,
  RealtimeConnection,
  RealtimeConversation,
  TokenUsage,
} from 'avatar-chat-models';
import type { LoggerOf } from 'avatar-chat-runtime';
import type { LiveError } from '../live.error.js';
import type { LivePrompt, LiveTurn, Reply } from '../response/reply.js';
import type { Owner, UsedBy } from './participants.js';

/** What a session does when a person takes part. */
export interface PeopleListener {
  /** The avatar does not answer any more. */
  onTaken(): void;
  /** A message to be spoken that is no answer. */
  onMessage(message: SpokenMessage): void;
}

/** A stored message: of a person, that one will come, or a reminder. */
export interface SpokenMessage {
  readonly message_id: string;
  readonly text: string;
}

/** Work in progress for a user, which ends with an erasure. */
export interface Watched {
  readonly owner: Owner;
  /** When it began; undefined: at the next check. */
  fence?: unknown;
  /** The user was erased, or the project removed, since then: called at each check. */
  onGone(error: unknown): void;
}

type SpeechSettings = Project['speech'];
interface Spoken {
  readonly language_code: string;
  readonly voice?: Avatar['voice'];
}

/**
 * Stages of an answer: `end_of_turn` is the silence until a turn counts as complete, `transcription` from there to its
 * transcript, `first_sentence` from the transcript to the engine's first sentence, `first_sound` from there to its
 * first audio, and `end_to_end` from the end of the speech to the first audio.
 */
export type Stage = 'end_of_turn' | 'transcription' | 'first_sentence' | 'first_sound' | 'end_to_end';

/** What sessions need of the service besides its modules. */
export interface SessionHost {
  readonly loggerOf: LoggerOf;
  /** An identifier for a message. */
  newId(): string;
  /** Any failure as one for clients. */
  asLiveError(error: unknown): LiveError;
  /** Whether an error has a text and a code for clients. */
  isForClients(error: unknown): boolean;
  /** The error that the avatar could not answer. */
  engineFailed(): Error;
  /** Whether a write was refused because its owner was erased. */
  isGone(error: unknown): boolean;
}

/** What a session needs: answers, speech, and what counts and limits them. */
export interface SessionPorts {
  readonly host: SessionHost;
  readonly replies: {
    /** Stores the user's words. */
    answer(turn: LiveTurn): Promise<Reply>;
    greeting(turn: Omit<LiveTurn, 'request' | 'key'>): Reply;
    /** A message that is stored already, to be spoken. */
    message(turn: Pick<LiveTurn, 'resolved'>, text: string): Reply;
    /** An answer to nothing that the user has just said. */
    prompt(prompt: LivePrompt): Promise<Reply>;
  };
  readonly answers: { earlier(owner: Owner, avatar_id: string): Promise<readonly EngineExchange[]> };
  readonly engines: {
    kindOf(entry: KindEntry): string;
    isScripted(entry: KindEntry): boolean;
    prepare(entry: KindEntry, language_code: string, project_id: string, avatar_id: string): Promise<void>;
  };
  readonly prompts: { paragraphsFor(turn: PromptedTurn, tokens: number): Promise<string[]> };
  readonly speech: {
    isHosted(settings: SpeechSettings): boolean;
    canJudgeTurns(): Promise<boolean>;
    prepare(settings: SpeechSettings, request: Spoken, isLive: boolean): void;
    /** @returns undefined if speech in that language cannot be recognized */
    listen(
      settings: SpeechSettings,
      options: TranscriptionOptions & { readonly holders: readonly string[] },
      hear: (heard: TranscriptionEvent) => void,
    ): Promise<TranscriptionStream | undefined>;
    /** @returns undefined without words. @throws SpeechError */
    transcribe(
      settings: SpeechSettings,
      request: {
        readonly audio: Readable;
        readonly content_type: string;
        readonly language_code: string;
        readonly holders: readonly string[];
        readonly onHeard: (seconds: number, language?: string) => void;
        readonly signal: AbortSignal;
      },
    ): Promise<string | undefined>;
    /** @returns undefined if there is nothing to hear. @throws SpeechError */
    sound(
      settings: SpeechSettings,
      request: Spoken & { readonly text: string; readonly holders: readonly string[]; readonly signal: AbortSignal },
    ): Promise<SpeechSamples | undefined>;
  };
  readonly realtime: {
    open(
      server: OpenAiServer,
      options: ConversationListener & { readonly signal: AbortSignal },
    ): Promise<RealtimeConversation>;
    openLive(
      server: OpenAiServer,
      session: LiveStart,
      options: ConnectionOptions & { readonly signal: AbortSignal },
    ): Promise<RealtimeConnection>;
  };
  /** @throws an error for clients above a limit */
  readonly counts: { count(owner: Owner, address: string): Promise<void> };
  readonly usage: {
    count(by: UsedBy, counts: { readonly seconds_heard?: number; readonly seconds_spoken?: number }): void;
    countTokens(by: UsedBy, usage: TokenUsage): void;
  };
  readonly erasures: {
    check(watched: Watched): Promise<void>;
    /** @returns a function that ends it */
    watch(watched: Watched): () => void;
  };
  readonly allowances: {
    /** Milliseconds of audio for servers that charge for it. */
    readonly hostedAudio: { spend(holders: readonly string[], ms: number): number };
  };
  readonly metrics: {
    readonly interruptions: { inc(): void };
    readonly responses: { inc(labels: { status: string }): void };
    readonly stages: { observe(labels: { stage: Stage }, seconds: number): void };
  };
  readonly people: {
    /** @returns a function that ends it */
    follow(owner: Owner, listener: PeopleListener): () => void;
    /** Whether the avatar must not answer. */
    hasTaken(owner: Owner, project: Project): Promise<boolean>;
  };
}
