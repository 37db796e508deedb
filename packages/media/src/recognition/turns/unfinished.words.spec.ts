import { silenceAfter } from './unfinished.words.js';

it.each([
  ['Please enter the', 'en', Infinity],
  ['And the.', 'en-GB', Infinity],
  ['Can you tell me the?', 'en', Infinity],
  ['The person is not at.', 'en', 2000],
  ['Please wait while I.', 'en', 2000],
  ['What are you looking at?', 'en', 0],
  ['Please check the number.', 'en', 0],
  ['My number is 9.', 'en', 1200],
  ['It is nine', 'en', 1200],
  ['It was in 1991, 4th', 'en', 1200],
  ['Well,', 'en', 2000],
  ['I do', 'en', 0],
  ['Ich hätte gern ein', 'de', Infinity],
  ['Was ist das?', 'de', 0],
  ['Por favor, dime el', 'es-MX', Infinity],
  ['Donne-moi les…', 'fr', Infinity],
  ['Eu queria um', 'pt_BR', Infinity],
  ['the', 'de', 0],
  ['我想要', 'zh', 0],
  ['', 'en', 0],
  ['?!', 'en', 0],
])('after %p in %s, a turn ends in %d ms of silence', (text, code, silence) => {
  expect(silenceAfter(text, code)).toBe(silence);
});
