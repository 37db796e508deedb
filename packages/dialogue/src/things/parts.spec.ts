import { talk } from '../../test/scripts.js';
import { thingFaults } from '../format/thing-faults.js';
import type { ScriptFile } from '../format/script-file.js';

const FILE: ScriptFile = {
  rules: [{ id: 'greeting', answers: ['Hello!'] }],
  fallback: ['?'],
  questions: {
    dish: {
      about: ['how do i make {thing}', 'recipe for {thing}'],
      keep: ['how long does {thing} keep', 'can i make {thing} the day before'],
    },
    ingredient: {
      about: ['what is {thing}', 'tell me about {thing}'],
      amount: ['how much {thing} do i need', 'how much {thing} for four'],
      keep: ['how long does {thing} keep', 'how do i store {thing}'],
      raw: ['can i eat {thing} raw', 'is {thing} safe to eat raw'],
    },
  },
  partOf: { ingredient: 'dish' },
  things: [
    { kind: 'dish', names: ['lasagne'], says: { about: 'Lasagne: layers.', keep: 'Lasagne keeps three days.' } },
    {
      kind: 'ingredient',
      names: ['mince'],
      says: { about: 'Ground meat.', amount: 'A pound.', keep: 'Mince keeps a day.', raw: 'Never raw.' },
    },
  ],
};
const last = (...turns: string[]) => talk(FILE, 'en', turns).at(-1)!.answer;

describe('behind a thing and a part of it, by `it`', () => {
  const first = ['how do i make lasagne', 'how much mince do i need'];

  it('the whole is meant', () => {
    expect(last(...first, 'can i make it the day before')).toBe('Lasagne keeps three days.');
    expect(last(...first, 'how long does it keep')).toBe('Lasagne keeps three days.');
  });

  it('the part is meant where the whole has nothing to say', () => {
    expect(last(...first, 'can i eat it raw')).toBe('Never raw.');
  });

  it('the part is meant where it was asked what it is, or is named alone', () => {
    expect(last('how do i make lasagne', 'what is mince', 'how long does it keep')).toBe('Mince keeps a day.');
    expect(last('how much mince do i need', 'how long does it keep')).toBe('Mince keeps a day.');
  });
});

it('a part of what is no kind is a fault', () => {
  const faults: string[] = [];
  thingFaults({ ...FILE, partOf: { ingredient: 'meal' } }, undefined, faults);
  thingFaults({ ...FILE, partOf: 'dish' }, undefined, faults);
  expect(faults).toEqual(['partOf.ingredient: is not among questions', 'partOf: must be an object of kinds']);
});
