import { filesFor, talk } from '../../test/scripts.js';
import { ScriptFile } from '../format/script-file.js';

const FILE: ScriptFile = {
  rules: [{ id: 'greeting', answers: ['Hello!'] }],
  fallback: ['?'],
  unknown: ['No.'],
  intents: [
    { id: 'no_flour', examples: ['can i use almond flour', 'almond flour in a cake'], answers: ['Yes, up to a half.'] },
    {
      id: 'sponge',
      examples: ['how do i bake a sponge', 'bake a sponge cake'],
      answers: ['Beat four eggs with sugar and fold in flour.'],
      then: [{ match: ['how long in the oven'], answers: ['Half an hour.'] }],
    },
    { id: 'rice', examples: ['how do i cook rice', 'cooking rice'], answers: ['In twice the water.'] },
  ],
};
const NOTES = (filesFor('en').shared as { replies: Record<string, string[]> }).replies;

it('tells who must not have something what to heed, whoever that is', () => {
  const said = talk(FILE, 'en', ["She's allergic to nuts. Can I use almond flour?", 'how do i bake a sponge']);
  expect(said.map(({ answer }) => answer)).toEqual([NOTES.allergy_nuts![0], FILE.intents![1]!.answers[0]]);
});

it('adds it to what has that in it, and goes on from there', () => {
  const [, sponge, oven] = talk(FILE, 'en', [
    'my flatmate is coeliac',
    'how do i bake a sponge',
    'how long in the oven',
  ]);
  expect(sponge!.answer).toBe(`${FILE.intents![1]!.answers[0]} ${NOTES.allergy_gluten![0]}`);
  expect(oven!.answer).toBe('Half an hour.');
});

it('adds it where the question tells the allergy, and else nothing to what has nothing of it in it', () => {
  const [first, second] = talk(FILE, 'en', ['how do i cook rice, my child is allergic to fish', 'how do i cook rice']);
  expect(first!.answer).toBe(`In twice the water. ${NOTES.allergy_seafood![0]}`);
  expect(second!.answer).toBe('In twice the water.');
});

it('makes nothing of liking nuts', () => {
  expect(talk(FILE, 'en', ['my sister loves nuts', 'can i use almond flour'])[1]!.answer).toBe('Yes, up to a half.');
});
