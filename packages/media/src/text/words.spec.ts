import { estimatedWords, pauseAfter, wordsOf, wordTimes } from './words.js';

describe('wordsOf', () => {
  it.each([
    ['  It’s 384,000 km,\n ok?', ['  It’s ', '384,000 ', 'km,\n ', 'ok?']],
    ['* one\n* two', ['* ', 'one\n', '* ', 'two']],
    ['你好！我喜欢（和你）聊天。', ['你好！', '我', '喜欢', '（和', '你）', '聊天。']],
    ['iPhone 很好', ['iPhone ', '很好']],
    ['สวัสดีครับ', ['สวัสดี', 'ครับ']],
    ['नमस्ते, क्या', ['नमस्ते, ', 'क्या']],
    ['', []],
    [' ', [' ']],
    ['（', ['（']],
  ])('divides %j', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
    expect(words.join('')).toBe(text);
  });
});

describe('wordTimes', () => {
  const times = (...all: Parameters<typeof wordTimes>) =>
    wordTimes(...all).map(({ text, start, end }) => [text, start, end]);
  const phonemes = [
    { phoneme: 'a', start: 0.1, end: 0.5 },
    { phoneme: 'b', start: 1, end: 1.6 },
  ];

  it('starts words at their marks, and ends them before a pause', () => {
    const marks = [
      { index: 0, at: 0.1 },
      { index: 4, at: 1 },
    ];
    expect(times('One two', marks, phonemes, 2)).toEqual([
      ['One ', 0.1, 0.5],
      ['two', 1, 1.6],
    ]);
  });

  it('divides the time of one mark in proportion to letters', () => {
    const marks = [{ index: 0, at: 1 }];
    expect(times('of them', marks, phonemes, 2)).toEqual([
      ['of ', 1, 1.2],
      ['them', 1.2, 1.6],
    ]);
  });

  it('gives unspoken words a moment at their position', () => {
    const marks = [
      { index: 2, at: 0.1 },
      { index: 26, at: 1 },
    ];
    expect(times('* See https://example.org now – 👍', marks, phonemes, 2)).toEqual([
      ['* ', 0.1, 0.1],
      ['See ', 0.1, 0.5],
      ['https://example.org ', 0.5, 0.5],
      ['now ', 1, 1.6],
      ['– ', 1.6, 1.6],
      ['👍', 1.6, 1.6],
    ]);
  });

  it('ignores marks that go backwards', () => {
    const marks = [
      { index: 4, at: 0.1 },
      { index: 0, at: 0.3 },
      { index: 8, at: 0.05 },
    ];
    const words = wordTimes('One two three', marks, phonemes, 2);
    let last = 0;
    for (const { start, end } of words) {
      expect(start).toBeGreaterThanOrEqual(last);
      expect(end).toBeGreaterThanOrEqual(start);
      last = end;
    }
    expect(words.at(-1)!.end).toBe(1.6);
  });

  it('spreads words over the length without marks', () => {
    expect(times('One', [], [], 2)).toEqual([['One', 0, 2]]);
  });
});

describe('estimatedWords', () => {
  it('weights words by letters, digits and pauses', () => {
    const words = estimatedWords('Yes, 12 km *away*.', { start: 1, end: 3 });
    expect(words.map(({ text }) => text).join('')).toBe('Yes, 12 km *away*.');
    expect(words[0]!.start).toBe(1);
    expect(words.at(-1)!.end).toBe(3);
    const [yes, twelve, km] = words.map(({ start, end }) => end - start);
    expect(twelve).toBeGreaterThan(yes!);
    expect(yes).toBeGreaterThan(km!);
    expect(words[1]!.start).toBeGreaterThan(words[0]!.end);
  });

  it('gives unspoken words no time', () => {
    expect(estimatedWords('👍 …', { start: 1, end: 3 }).map(({ start, end }) => [start, end])).toEqual([
      [1, 1],
      [1, 1],
    ]);
  });
});

describe('pauseAfter', () => {
  it.each([
    ['Yes.', 0.3],
    ['“Yes!”** ', 0.3],
    ['Yes, ', 0.15],
    ['是，', 0.15],
    ['yes', 0],
  ])('recognizes the punctuation at the end of %j', (text, seconds) => {
    expect(pauseAfter(text)).toBe(seconds);
  });
});
