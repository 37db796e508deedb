import type { TurnModel } from '../turns/turn.judge.js';

/** How the ends of turns are detected in live speech. */
export interface TurnDetection {
  /** Probability from 0 to 1 above which a frame counts as speech. */
  readonly threshold: number;
  /** Audio before the speech that is transcribed with it. */
  readonly prefix_padding_ms: number;
  /** A silence of this length ends a turn. */
  readonly silence_duration_ms: number;
  /** Whether turns are to end by silence or by their meaning, and how eagerly. */
  readonly type?: 'server_vad' | 'semantic_vad';
  readonly eagerness?: 'low' | 'medium' | 'high' | 'auto';
  /**
   * Ends a turn at once if it is complete with at least this certainty, and its last word is none after which a sentence
   * goes on in this language; otherwise after `limit_ms` of silence at most.
   */
  readonly meaning?: TurnModel & Record<'certainty' | 'limit_ms', number> & { readonly language_code: string };
}

export interface TranscriptionOptions {
  /** The expected language, such as `en` or `pt-BR`. */
  readonly language_code: string;
  /** The user, then possibly the address, whose shares of the decodings count. Omitted: those of nobody else. */
  readonly holders?: readonly string[];
  /** Omitted: turns only end by {@link TranscriptionStream.commit}. */
  readonly detection?: TurnDetection;
}

/** Events of an utterance. Positions are milliseconds of audio since recognition started. */
export type TranscriptionEvent = {
  /** The number of the utterance, from 1. */
  readonly utterance: number;
} & (
  | { readonly event: 'started'; readonly at: number }
  /** A silence in which the turn may end, and the end of it. Not every stream reports them. */
  | { readonly event: 'paused' | 'resumed' }
  /** The turn is complete, by silence or {@link TranscriptionStream.commit}; its transcript follows. */
  | { readonly event: 'stopped'; readonly at: number }
  /** The partial transcript while somebody speaks. It may be wrong unless it is certain, and any number of them may be skipped. */
  | { readonly event: 'partial'; readonly text: string; readonly isCertain?: true }
  /**
   * The last event of an utterance: its text, undefined if transcription failed, and its language if the model chose it.
   */
  | { readonly event: 'final'; readonly text: string | undefined; readonly language?: string | undefined }
);
export type FinalTranscript = Pick<Extract<TranscriptionEvent, { event: 'final' }>, 'text' | 'language'>;

/** Recognizes the live speech of one speaker. */
export interface TranscriptionStream {
  /** @param samples 16-bit mono at `LIVE_RATE`, in chunks of any length */
  push(samples: Int16Array): void;
  /** Changes the options; an utterance in progress continues. */
  configure(options: TranscriptionOptions): void;
  /** Ends the utterance, or makes one of all audio since the last one. @returns false if there is no audio */
  commit(): boolean;
  /** Discards the audio of an utterance that has not ended; there are no further events for it. */
  clear(): void;
  /** No events follow. */
  close(): void;
}
