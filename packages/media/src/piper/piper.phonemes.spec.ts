import type { EspeakEvent } from '../espeak/espeak.engine.js';
import { piperSentence, timeline } from './piper.phonemes.js';

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
      { phoneme: 'h', start: 0.01, end: 0.06, from: 2, to: 4 },
      { phoneme: 'aɪ', start: 0.06, end: 0.2, from: 4, to: 10 },
      { phoneme: 'h', start: 0.31, end: 0.4, from: 14, to: 16 },
      { phoneme: 'a', start: 0.4, end: 0.5, from: 18, to: 20 },
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

describe('timeline', () => {
  const phonemes = [
    { phoneme: 'h', start: 0.5, end: 0.6, from: 2, to: 4 },
    { phoneme: 'a', start: 0.6, end: 1, from: 4, to: 6 },
    { phoneme: 'b', start: 1.2, end: 1.5, from: 8, to: 10 },
  ];

  it('keeps the proportions between the first and the last sound if nothing else is known', () => {
    expect([0.5, 0.6, 1, 1.5].map(timeline(phonemes, [1, 3]))).toEqual([1, 1.2, 2, 3]);
    expect([0, 3].map(timeline(phonemes, [1, 3]))).toEqual([1, 3]);
  });

  it('follows the ends of the ids, also around a pause, and evenly within a phoneme', () => {
    const ends = [0.1, 0.2, 0.3, 0.4, 0.9, 1, 1.1, 1.4, 1.5, 1.6, 1.7];
    const time = timeline(phonemes, [0.25, 1.58], ends);
    expect([0.6, 0.8, 1, 1.1, 1.2].map(time)).toEqual([0.4, 0.7, 1, 1.2, 1.4]);
    expect([0.5, 1.5].map(time)).toEqual([0.25, 1.58]);
  });
});
