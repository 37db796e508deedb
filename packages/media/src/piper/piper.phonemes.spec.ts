import type { EspeakEvent } from '../espeak/espeak.engine.js';
import { piperSentence, stretched } from './piper.phonemes.js';

const phonemeIds = {
  '^': [1],
  $: [2],
  _: [0],
  ' ': [3],
  ',': [4],
  '!': [5],
  h: [6],
  a: [7],
  ɪ: [8],
  ˈ: [9],
  c: [10],
  '̧': [11],
  y: [12, 13],
};
const event = (type: string, audio_position: number, text_position: number, id?: string): EspeakEvent => ({
  type,
  audio_position,
  text_position,
  id,
});
const idsOf = (text: string, events: EspeakEvent[]) => piperSentence(text, events, { phonemeIds }).ids;

describe('piperSentence', () => {
  it('has padding after each phoneme, a space between words and the punctuation of each clause', () => {
    const { ids, phonemes } = piperSentence(
      'Hi, hi ya!”',
      [
        event('sentence', 0, 1),
        event('word', 0, 1),
        event('phoneme', 10, 1, 'h'),
        event('phoneme', 60, 1, 'ˈaɪ'),
        event('phoneme', 200, 3, ''),
        event('end', 300, 4),
        event('word', 300, 5),
        event('phoneme', 310, 5, '(en)h'),
        event('word', 400, 8),
        event('phoneme', 400, 8, 'a'),
        event('end', 500, 12),
      ],
      { phonemeIds },
    );
    expect(ids).toEqual([1, 0, 6, 0, 9, 0, 7, 0, 8, 0, 4, 0, 3, 0, 6, 0, 3, 0, 7, 0, 5, 0, 2]);
    expect(phonemes).toEqual([
      { phoneme: 'h', start: 0.01, end: 0.06 },
      { phoneme: 'aɪ', start: 0.06, end: 0.2 },
      { phoneme: 'h', start: 0.31, end: 0.4 },
      { phoneme: 'a', start: 0.4, end: 0.5 },
    ]);
  });

  it.each([
    ['decomposes a character that the model only has in parts', 'ç', [10, 0, 11, 0]],
    ['maps a character to all its ids', 'y', [12, 13, 0]],
    ['skips characters that the model does not know', 'ʘa', [7, 0]],
  ])('%s', (_, id, between) => {
    expect(idsOf('x', [event('phoneme', 0, 1, id), event('end', 100, 2)])).toEqual([1, 0, ...between, 2]);
  });

  it('maps the punctuation of other scripts', () => {
    expect(idsOf('你，', [event('phoneme', 0, 1, 'a'), event('end', 100, 3)])).toEqual([1, 0, 7, 0, 4, 0, 2]);
  });

  it('is empty without phonemes', () => {
    expect(idsOf('…', [event('end', 0, 2)])).toEqual([]);
  });
});

describe('stretched', () => {
  const phonemes = [
    { phoneme: 'h', start: 0.5, end: 0.6 },
    { phoneme: 'a', start: 0.6, end: 1 },
  ];

  it('keeps the proportions, and stays within the length', () => {
    expect([0.5, 0.6, 1].map(stretched(phonemes, 1, 2))).toEqual([1, 1.2, 2]);
    expect([0, 3].map(stretched(phonemes, 1, 2))).toEqual([1, 2]);
  });
});
