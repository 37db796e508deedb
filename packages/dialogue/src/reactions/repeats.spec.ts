import { talk } from '../../test/scripts.js';
import type { ScriptFile } from '../format/script-file.js';

const FILE: ScriptFile = {
  rules: [{ id: 'bye', answers: ['Bye.'] }],
  intents: [
    {
      id: 'float',
      examples: ['would saturn float', 'why does saturn float', 'saturn in water'],
      answers: ['It is light.'],
    },
  ],
  topics: ['one', 'two', 'three'],
  unknown: ['?'],
  fallback: ['?'],
};
const answers = (...turns: string[]) => talk(FILE, 'en', turns).map(({ answer }) => answer);

it('an answer is not given to another question right after it', () => {
  const [first, second] = answers('would saturn float?', 'is saturn heavier than water?');
  expect(first).toBe('It is light.');
  expect(second).not.toBe(first);
});

it.each(['would saturn float?', 'say that again: would saturn float?'])(
  'it is given again if asked for: %s',
  (again) => {
    expect(answers('would saturn float?', again)[1]).toBe('It is light.');
  },
);
