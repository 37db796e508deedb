/** How the ends of turns are found in speech that comes live. */
export interface TurnDetection {
  /** From 0 to 1: how sure one must be that it is speech. */
  readonly threshold: number;
  /** Sound before the speech that is recognized with it. */
  readonly prefix_padding_ms: number;
  /** A silence as long as this ends a turn. */
  readonly silence_duration_ms: number;
}

export interface ListenOptions {
  /** The language that is probably spoken, such as `en` or `pt-BR`. */
  readonly language_code: string;
  /** Left out: turns end by {@link Listener.commit} alone. */
  readonly detection?: TurnDetection;
}

/** What is heard of one utterance. Positions are milliseconds of sound since listening began. */
export type Heard = {
  /** The number of the utterance, from 1. */
  readonly utterance: number;
} & (
  | { readonly event: 'started'; readonly at: number }
  /** The turn is over, by silence or {@link Listener.commit}; its words follow. */
  | { readonly event: 'stopped'; readonly at: number }
  /** The words so far, while somebody speaks. It may be wrong, and any number of them may be left out. */
  | { readonly event: 'partial'; readonly text: string }
  /** All words, maybe none; `text` is undefined where they could not be found out. The last event of an utterance. */
  | { readonly event: 'final'; readonly text: string | undefined }
);

/** Listens to one speaker live. */
export interface Listener {
  /** @param samples one channel of sixteen bits at `LIVE_RATE`, in pieces of any length */
  push(samples: Int16Array): void;
  /** Changes what listening began with; what is being said goes on. */
  configure(options: ListenOptions): void;
  /** Ends the utterance, or begins and ends one of all sound since the last. @returns false where there is no sound */
  commit(): boolean;
  /** Forgets the sound of an utterance that has not ended; no further event of it comes. */
  clear(): void;
  /** No event comes after it. */
  close(): void;
}
