import { acceptedLanguage } from './accept-language.js';

const CODES = ['en', 'de', 'pt-BR', 'zh'];

describe('the language chosen by Accept-Language', () => {
  it.each([
    [undefined, 'en'],
    ['', 'en'],
    ['de', 'de'],
    ['DE', 'de'],
    ['de-AT', 'de'],
    ['zh-Hant-TW', 'zh'],
    ['pt', 'pt-BR'],
    ['PT-br', 'pt-BR'],
    ['pt-PT', 'en'],
    ['de-AT,de;q=0.9,en;q=0.8', 'de'],
    ['en;q=0.5,de;q=0.8', 'de'],
    ['en; q=0.5, de; Q=0.8', 'de'],
    ['it,fr;q=0.9', 'en'],
    ['it,zh;q=0.1', 'zh'],
    ['*', 'en'],
    ['de,*', 'de'],
    ['en;q=0,*', 'de'],
    ['en ; q=0 , *;q=0.1', 'de'],
    ['de;q=0', 'en'],
    ['en;q=0', 'en'],
    [';;;,,=,\u0000 ', 'en'],
    ['de;q=much', 'en'],
    ['x'.repeat(16_000), 'en'],
    [`${'it,'.repeat(8000)}de`, 'en'],
  ])('%j: %s', (header, code) => {
    expect(acceptedLanguage(header, CODES)).toBe(code);
  });

  it('is undefined if there are no languages', () => {
    expect(acceptedLanguage('de', [])).toBeUndefined();
    expect(acceptedLanguage(undefined, [])).toBeUndefined();
  });
});
