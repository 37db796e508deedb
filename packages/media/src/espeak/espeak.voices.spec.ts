import { voicesFor } from './espeak.voices.js';

describe('voicesFor', () => {
  it.each([
    ['en', ['en-us']],
    ['en-GB', ['en', 'en-us']],
    ['pt-BR', ['pt-br', 'pt']],
    ['zh-Hant-TW', ['zh-hant-tw', 'zh-hant', 'cmn']],
    ['zh_HK', ['yue', 'cmn']],
    ['tlh', ['tlh']],
  ])('tries for %s', (code, voices) => {
    expect(voicesFor(code)).toEqual(voices);
  });

  it.each(['', 'x', 'english', '../en', 'en+f3', 'en us'])('has none for %p', (code) => {
    expect(voicesFor(code)).toEqual([]);
  });
});
