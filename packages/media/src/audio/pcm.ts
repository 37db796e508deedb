import { AudioSink } from './audio.sink.js';
import { type WordMark, wordTimes } from '../text/words.js';
import { liveSamples } from './samples.js';
import type { PhonemeTime, SpeechSamples } from './speech.samples.js';

/** Concatenates audio for live speech. */
export class Pcm extends AudioSink {
  readonly delay = 0;

  finish(text: string, phonemes: readonly PhonemeTime[], marks: readonly WordMark[]): SpeechSamples {
    const samples = liveSamples(this.takeSound(), this.sampleRate);
    return { samples, phonemes, words: wordTimes(text, marks, phonemes, this.length) };
  }
}
