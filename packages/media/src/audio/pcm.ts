import { AudioSink } from './audio.sink.js';
import { joined, liveSamples } from './samples.js';

/** Concatenates audio for live speech. */
export class Pcm extends AudioSink {
  readonly delay = 0;
  private pieces: Float32Array[] = [];

  override startAudio(sampleRate: number): void {
    super.startAudio(sampleRate);
    this.pieces = [];
  }

  override append(sound: Float32Array): void {
    super.append(sound);
    this.pieces.push(sound);
  }

  finishAudio(): Int16Array<ArrayBuffer> {
    return liveSamples(joined(this.pieces.splice(0)), this.sampleRate);
  }
}
