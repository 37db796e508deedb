import { clauses } from './clauses.js';

describe('clauses', () => {
  it.each([
    ['Well, I am fine, thank you.', ['Well, I am fine, thank you.']],
    [
      'I am well, thank you for asking, and I would like to hear more.',
      ['I am well, thank you for asking, ', 'and I would like to hear more.'],
    ],
    [
      'The moon is 384,000 km away at 12:30 in the afternoon, as everybody knows.',
      ['The moon is 384,000 km away at 12:30 in the afternoon, ', 'as everybody knows.'],
    ],
    [
      'The moon is a long way from here - and the sun is much further.',
      ['The moon is a long way from here - ', 'and the sun is much further.'],
    ],
    [
      '我今天很高兴和你们大家一起聊天，因为我有很多有趣的故事，真的。',
      ['我今天很高兴和你们大家一起聊天，', '因为我有很多有趣的故事，真的。'],
    ],
  ])('divides %j', (sentence, parts) => {
    expect(clauses(sentence)).toEqual(parts);
    expect(parts.join('')).toBe(sentence);
  });
});
