/** When a sound of a speech begins and ends, in seconds from the start of the recording. */
export class PhonemeDetails {
  /**
   * IPA.
   * @example "h"
   */
  phoneme!: string;
  /** @example 0.061 */
  start!: number;
  /** @example 0.112 */
  end!: number;
}

/** What the service knows of an answer that it has spoken. */
export class SpeechDetails {
  /**
   * How long it is.
   * @example 3.318
   */
  seconds!: number;
  /** In order, without the pauses; empty where the speaker does not know. */
  phonemes!: PhonemeDetails[];
}
