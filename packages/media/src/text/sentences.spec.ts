import { Sentences } from './sentences.js';

/** The sentences of a text that arrives in chunks of some length. */
function sentencesOf(text: string, length: number, language = 'en'): string[] {
  const sentences = new Sentences(language);
  const found: string[] = [];
  for (let at = 0; at < text.length; at += length) found.push(...sentences.push(text.slice(at, at + length)));
  return [...found, ...sentences.end()];
}

describe('sentences of a text that is still arriving', () => {
  it.each([1, 3, 7, 1000])('are the same in chunks of %d characters, and lose nothing', (length) => {
    const text = 'Hello there! How far is it? About 3.5 km, I think…\nNew line. End';
    const found = sentencesOf(text, length);
    expect(found.join('')).toBe(text);
    expect(found.map((sentence) => sentence.trim())).toEqual([
      'Hello there!',
      'How far is it?',
      'About 3.5 km, I think…',
      'New line.',
      'End',
    ]);
  });

  it('are returned as soon as the next one starts', () => {
    const sentences = new Sentences('en');
    expect(sentences.push('One. ')).toEqual([]);
    expect(sentences.push('Two')).toEqual(['One. ']);
    expect(sentences.end()).toEqual(['Two']);
    expect(sentences.end()).toEqual([]);
  });

  it.each([
    ['ja', 'こんにちは。元気ですか？はい。', ['こんにちは。', '元気ですか？', 'はい。']],
    ['hi', 'नमस्ते। आप कैसे हैं?', ['नमस्ते। ', 'आप कैसे हैं?']],
    ['not a language', 'One. Two.', ['One. ', 'Two.']],
  ])('follow the rules of %s', (language, text, expected) => expect(sentencesOf(text, 2, language)).toEqual(expected));

  it('are never longer than 400 characters, and end at a space or a whole character', () => {
    const words = sentencesOf('word '.repeat(300), 50);
    expect(Math.max(...words.map(({ length }) => length))).toBeLessThanOrEqual(400);
    expect(words.every((sentence) => sentence.endsWith(' '))).toBe(true);
    const faces = sentencesOf('x' + '😀'.repeat(1000), 999);
    expect(faces.join('')).toBe('x' + '😀'.repeat(1000));
    expect(faces.every((sentence) => !/[\ud800-\udbff]$/.test(sentence))).toBe(true);
  });
});
