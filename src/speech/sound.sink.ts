/** Takes in one sound after the other, each piece by piece. */
export interface SoundSink {
  /** @param sampleRate Hz */
  begin(sampleRate: number): void;
  /** @param sound from -1 to 1 */
  append(sound: Float32Array): void;
  /** Seconds of what has been appended. */
  readonly length: number;
  /** Seconds of silence before it in what becomes of it. */
  readonly delay: number;
}
