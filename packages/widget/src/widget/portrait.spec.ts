import { mouthFor } from './portrait.js';

it.each([
  ['p', 'closed'],
  ['m', 'closed'],
  ['f', 'teeth'],
  ['tʃ', 'teeth'],
  ['uː', 'round'],
  ['oʊ', 'round'],
  ['aɪ', 'open-wide'],
  ['ɑ̃', 'open-wide'],
  ['iː', 'open-small'],
  ['h', 'open-small'],
  ['', 'open-small'],
])('the mouth for %p is %s', (phoneme, mouth) => {
  expect(mouthFor(phoneme)).toBe(mouth);
});
