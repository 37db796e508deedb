import { compileScript } from '../script/compile.js';
import { WordForms } from './word-forms.js';
import { filesFor } from '../../test/scripts.js';

/** A stemmer that only cuts a final t or s. */
const stem = (word: string) => word.replace(/[ts]$/, '');

it('brings the forms of a word to the stem of the first, and what has the stem of one of them', () => {
  const forms = new WordForms(['go went gone', 'see =saw'], stem);
  expect(['go', 'went', 'gone', 'gones', 'goes'].map((word) => forms.stemOf(word))).toEqual([
    'go',
    'go',
    'go',
    'go',
    'goe',
  ]);
  expect(['see', 'saw', 'saws'].map((word) => forms.stemOf(word))).toEqual(['see', 'see', 'saw']);
});

it('refuses forms that are no texts', () => {
  const files = { phrases: { sets: {}, forms: [['go', 'went']] } };
  expect(() =>
    compileScript({ rules: [{ id: 'hi', match: ['hi'], answers: ['Hi.'] }], fallback: ['?'] }, files),
  ).toThrow(/phrases: forms: must be an array/);
});

it.each([
  ['en', 'my teeth', 'tooth'],
  ['en', 'we slept', 'sleep'],
  ['de', 'es kochte, gekocht', 'kochen'],
  ['de', 'sie schläft', 'schlafen'],
  ['es', 'ella duerme', 'dormir'],
  ['es', 'hierve', 'hervir'],
])('knows forms of the words of %s: %s', (language, text, word) => {
  const { knowledge } = compileScript(
    { rules: [{ id: 'hi', match: ['hi'], answers: ['Hi.'] }], fallback: ['?'], unknown: ['No.'] },
    { language, phrases: filesFor(language).phrases },
  );
  expect(knowledge!.terms.of(text).has(knowledge!.terms.stemOf(word))).toBe(true);
});
