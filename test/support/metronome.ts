import { Injectable, Module } from '@nestjs/common';
import { Speaker, type Speech, type SpeechSamples } from '../../src/index.js';

/** Samples per second. */
export const RATE = 24_000;
/** Length of each word in seconds. */
export const WORD = 0.1;

/** Says a word each tenth of a second. */
@Injectable()
export class MetronomeSpeaker extends Speaker {
  readonly kind = 'metronome';
  validate = () => [];
  speak = async (): Promise<Speech | undefined> => undefined;

  override async sound({ text }: { text: string }): Promise<SpeechSamples> {
    if (text.includes('unspeakable')) throw new Error('x');
    const words = text.match(/\S+\s*/g)!;
    return {
      samples: new Int16Array(words.length * WORD * RATE).fill(1000),
      phonemes: [],
      words: words.map((word, n) => ({ text: word, start: n * WORD, end: (n + 1) * WORD })),
    };
  }
}

@Module({ providers: [MetronomeSpeaker] })
export class MetronomeModule {}
