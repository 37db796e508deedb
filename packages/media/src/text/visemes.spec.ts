import { LIVE_RATE, type SpeechSamples } from '../audio/speech.samples.js';
import { visemesOf } from './visemes.js';

const sound = (seconds: number, more: Partial<SpeechSamples>): SpeechSamples => ({
  samples: new Int16Array(seconds * LIVE_RATE),
  phonemes: [],
  words: [],
  ...more,
});
const shapes = (phoneme: string) =>
  visemesOf(sound(1, { phonemes: [{ phoneme, start: 0, end: 0.5 }] })).map(({ viseme_id }) => viseme_id);

describe('visemesOf', () => {
  it.each([
    ['p', [21]],
    ['tʃ', [19, 16]],
    ['aɪ', [11]],
    ['oʊ', [8, 4]],
    ['ɑːɹ', [2, 13]],
    ['t̪', [19]],
    ['i2', [6]],
    ['ð', [17]],
    ['?', [1]],
  ])('shows %s as %j, then silence', (phoneme, ids) => {
    expect(shapes(phoneme)).toEqual([...ids, 0]);
  });

  it('rests in pauses, and follows the timing of the phonemes', () => {
    const phonemes = [
      { phoneme: 'aʊt', start: 0.1, end: 0.3 },
      { phoneme: 'm', start: 0.3, end: 0.4 },
      { phoneme: 'f', start: 0.7, end: 0.8 },
    ];
    expect(visemesOf(sound(1, { phonemes }))).toEqual([
      { at: 0.1, viseme_id: 9 },
      { at: 0.2, viseme_id: 19 },
      { at: 0.3, viseme_id: 21 },
      { at: 0.4, viseme_id: 0 },
      { at: 0.7, viseme_id: 18 },
      { at: 0.8, viseme_id: 0 },
    ]);
  });

  it('is derived from letters if phonemes are unknown', () => {
    const words = [
      { text: 'Fêm ', start: 0.2, end: 0.5 },
      { text: '👍', start: 0.5, end: 0.5 },
      { text: '你', start: 0.7, end: 0.9 },
    ];
    expect(visemesOf(sound(1, { words }))).toEqual([
      { at: 0.2, viseme_id: 18 },
      { at: 0.3, viseme_id: 4 },
      { at: 0.4, viseme_id: 21 },
      { at: 0.5, viseme_id: 0 },
      { at: 0.7, viseme_id: 19 },
      { at: 0.8, viseme_id: 2 },
      { at: 0.9, viseme_id: 0 },
    ]);
  });

  it('has a shape for each word, even if it shares its phonemes with another', () => {
    const words = [
      { text: 'of ', start: 0, end: 0.2 },
      { text: 'the', start: 0.2, end: 0.4 },
    ];
    const phonemes = [{ phoneme: 'v', start: 0, end: 0.4 }];
    expect(visemesOf(sound(1, { words, phonemes }))).toContainEqual({ at: 0.2, viseme_id: 18 });
  });

  it('stays within the audio, in order, and ends in silence', () => {
    const phonemes = Array.from({ length: 50 }, (_, at) => ({ phoneme: 'ts', start: at / 50, end: (at + 1) / 50 }));
    const visemes = visemesOf(sound(1, { phonemes }));
    for (const [index, { at }] of visemes.entries()) {
      expect(at).toBeGreaterThan(visemes[index - 1]?.at ?? -1);
      expect(at).toBeLessThan(1);
    }
    expect(visemes.at(-1)).toMatchObject({ viseme_id: 0 });
  });

  it('is empty without audio', () => {
    expect(visemesOf(sound(0, {}))).toEqual([]);
  });
});
