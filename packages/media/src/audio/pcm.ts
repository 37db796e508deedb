import { AudioSink } from './audio.sink.js';
import { liveSamples } from './samples.js';

/** Concatenates audio for live speech. */
export class Pcm extends AudioSink {
  readonly delay = 0;

  finishAudio(): Int16Array<ArrayBuffer> {
    return liveSamples(this.takeSound(), this.sampleRate);
  }
}
