/** Concatenates audio, chunk by chunk. */
export interface AudioSink {
  /** @param sampleRate Hz */
  startAudio(sampleRate: number): void;
  /** @param sound samples from -1 to 1 */
  append(sound: Float32Array): void;
  /** Seconds appended so far. */
  readonly length: number;
  /** Seconds of silence that the encoding adds at the beginning. */
  readonly delay: number;
}
