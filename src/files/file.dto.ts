/** Start and end of a sound of a speech, in seconds from the start of the recording. */
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

/** Length and phonemes of a spoken answer. */
export class SpeechDetails {
  /**
   * Length of the recording.
   * @example 3.318
   */
  seconds!: number;
  /** In order, without pauses; empty if the speaker does not know them. */
  phonemes!: PhonemeDetails[];
}
