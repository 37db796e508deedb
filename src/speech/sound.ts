/** Samples a second of all sound that is spoken or heard live. */
export const LIVE_RATE = 24_000;

/** When a sound of the speech begins and ends, in seconds from the start of the recording. */
export interface PhonemeTime {
  /** IPA. */
  readonly phoneme: string;
  readonly start: number;
  readonly end: number;
}

/** When a word of a text is spoken, in seconds from the start of the sound. */
export interface WordTime {
  /** As it stands in the text, with what follows up to the next word: all words of a text together are the text. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Speech as samples, for those who play it as it comes. */
export interface Sound {
  /** One channel of sixteen bits at {@link LIVE_RATE}. */
  readonly samples: Int16Array;
  /** In order, without the pauses; empty where the speaker does not know. */
  readonly phonemes: readonly PhonemeTime[];
  /** In order; all words of the text, also those that are not spoken. Estimated where the speaker does not know. */
  readonly words: readonly WordTime[];
}
