import type { WordMark } from '../text/words.js';
import { level } from './loudness.js';
import { joined } from './samples.js';
import type { PhonemeTime, Speech, SpeechSamples } from './speech.samples.js';

/** Concatenates audio, chunk by chunk. */
export abstract class AudioSink {
  private pieces: Float32Array[] = [];
  private samples = 0;
  protected sampleRate = 0;

  /** Seconds of silence that the encoding adds at the beginning. */
  abstract readonly delay: number;

  /** @param sampleRate Hz */
  startAudio(sampleRate: number): void {
    [this.pieces, this.samples, this.sampleRate] = [[], 0, sampleRate];
  }

  /** @param sound samples from -1 to 1 */
  append(sound: Float32Array): void {
    this.pieces.push(sound);
    this.samples += sound.length;
  }

  appendSilence(seconds: number): void {
    this.append(new Float32Array(Math.round(seconds * this.sampleRate)));
  }

  /** Seconds appended so far. */
  get length(): number {
    return this.samples / this.sampleRate;
  }

  /** All of it. @param text of which `marks` tell when words begin */
  abstract finish(text: string, phonemes: readonly PhonemeTime[], marks: readonly WordMark[]): Speech | SpeechSamples;

  /** All of it, as loud as all speech. */
  protected takeSound(): Float32Array {
    const sound = joined(this.pieces.splice(0));
    level(sound, this.sampleRate);
    return sound;
  }
}
