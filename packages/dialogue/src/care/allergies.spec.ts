import type { Intent } from '../format/script-file.js';
import { withAllergyNote } from '../reply.js';
import { readScript, scriptOf, talk } from '../../test/scripts.js';

const RECIPES: readonly Intent[] = [
  { id: 'no_flour', say: ['can i use almond flour', 'almond flour in a cake'], answer: ['Yes, up to a half.'] },
  {
    id: 'sponge',
    say: ['how do i bake a sponge', 'bake a sponge cake'],
    answer: ['Beat four eggs with sugar and fold in flour.'],
    then: [{ match: ['how long in the oven'], answer: ['Half an hour.'] }],
  },
  { id: 'rice', say: ['how do i cook rice', 'cooking rice'], answer: ['In twice the water.'] },
];
const script = scriptOf(RECIPES);
const noteOf = (name: string) => readScript('shared').in('en').answersOf(`allergy_${name}`)[0];
const SPONGE = RECIPES[1]!.answer![0];

it('tells who must not have something what to heed, whoever that is', () => {
  const said = talk(script, ["She's allergic to nuts. Can I use almond flour?", 'how do i bake a sponge']);
  expect(said.map(({ answer }) => answer)).toEqual([noteOf('nuts'), SPONGE]);
});

it('adds it to what has that in it, and goes on from there', () => {
  const [, sponge, oven] = talk(script, ['my flatmate is coeliac', 'how do i bake a sponge', 'how long in the oven']);
  expect(sponge!.answer).toBe(`${SPONGE} ${noteOf('gluten')}`);
  expect(oven!.answer).toBe('Half an hour.');
});

it('adds it where the question tells the allergy, and else nothing to what has nothing of it in it', () => {
  const [first, second] = talk(script, ['how do i cook rice, my child is allergic to fish', 'how do i cook rice']);
  expect(first!.answer).toBe(`In twice the water. ${noteOf('seafood')}`);
  expect(second!.answer).toBe('In twice the water.');
});

it('makes nothing of liking nuts', () => {
  expect(talk(script, ['my sister loves nuts', 'can i use almond flour'])[1]!.answer).toBe('Yes, up to a half.');
});

it('heeds it in an answer from elsewhere', () => {
  const history = [{ request: 'my flatmate is coeliac', answer: '…' }];
  const said = { avatar: { name: 'Zed' }, request: 'how is a sponge made?', history };
  expect(withAllergyNote(said, script, 'Of flour and eggs.')).toBe(`Of flour and eggs. ${noteOf('gluten')}`);
  expect(withAllergyNote(said, script, 'Of maize.')).toBe('Of maize.');
});
