/** Sample rate of all live audio, in Hz. */
export const LIVE_RATE = 24_000;

/** Start and end of a sound of the speech, in seconds from the start of the recording. */
export interface PhonemeTime {
  /** IPA. */
  readonly phoneme: string;
  readonly start: number;
  readonly end: number;
}

/** When a word of a text is spoken, in seconds from the start of the audio. */
export interface WordTime {
  /** As it appears in the text, with everything up to the next word: the concatenation of all words is the text. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Speech as samples, for streaming playback. */
export interface SpeechSamples {
  /** 16-bit mono at {@link LIVE_RATE}. */
  readonly samples: Int16Array;
  /** In order, without pauses; empty if the speaker does not know them. */
  readonly phonemes: readonly PhonemeTime[];
  /**
   * In order; all words of the text, including those that are not spoken. Estimated if the speaker does not know them.
   */
  readonly words: readonly WordTime[];
}

/** Speech as a file. */
export interface Speech {
  /** MP3. */
  readonly audio: Uint8Array;
  readonly content_type: 'audio/mpeg';
  /** Length of the audio. */
  readonly seconds: number;
  /** In order, without pauses; empty if the speaker does not know them. */
  readonly phonemes: readonly PhonemeTime[];
}
