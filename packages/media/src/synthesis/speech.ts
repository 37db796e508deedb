import type { PhonemeTime } from '../audio/speech.samples.js';

export interface Speech {
  /** MP3. */
  readonly audio: Uint8Array;
  readonly content_type: 'audio/mpeg';
  /** Length of the audio. */
  readonly seconds: number;
  /** In order, without pauses; empty if the speaker does not know them. */
  readonly phonemes: readonly PhonemeTime[];
}
