import { joined, liveSamples } from './samples.js';
import type { AudioSink } from './audio.sink.js';

/** Concatenates audio for live speech. */
export class Pcm implements AudioSink {
  readonly delay = 0;
  private pieces: Float32Array[] = [];
  private samples = 0;
  private sampleRate = 0;

  startAudio(sampleRate: number): void {
    this.pieces = [];
    this.samples = 0;
    this.sampleRate = sampleRate;
  }

  append(sound: Float32Array): void {
    this.pieces.push(sound);
    this.samples += sound.length;
  }

  /** Appends silence. */
  pause(seconds: number): void {
    this.append(new Float32Array(Math.round(seconds * this.sampleRate)));
  }

  get length(): number {
    return this.samples / this.sampleRate;
  }

  finishAudio(): Int16Array<ArrayBuffer> {
    return liveSamples(joined(this.pieces.splice(0)), this.sampleRate);
  }
}
