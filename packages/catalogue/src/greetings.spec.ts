import { greetingIn, suggestionsIn } from './greetings.js';

const avatar = { greetingText: 'Hello!', greetings: { de: 'Hallo!', 'de-AT': 'Servus!' } };

describe('a greeting', () => {
  it.each([
    ['de', 'Hallo!'],
    ['de-AT', 'Servus!'],
    ['de-CH-1996', 'Hallo!'],
    ['fr', 'Hello!'],
    ['valueOf', 'Hello!'],
    ['', 'Hello!'],
    [undefined, 'Hello!'],
  ])('in %s: %s', (code, text) => {
    expect(greetingIn(avatar, code)).toBe(text);
  });

  it('is the only text of an avatar without others', () => {
    expect(greetingIn({ greetingText: 'Hello!' }, 'de')).toBe('Hello!');
  });
});

it.each([
  ['de', ['Was kannst du?']],
  ['de-AT', ['Was kannst du?']],
  ['fr', []],
  ['constructor', []],
])('suggestions in %s are %p', (code, texts) => {
  expect(suggestionsIn({ suggestions: { de: ['Was kannst du?'] } }, code)).toEqual(texts);
  expect(suggestionsIn({}, code)).toEqual([]);
});
