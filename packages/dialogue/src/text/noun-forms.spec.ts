import { ScriptFile } from '../format/script-file.js';
import { talk } from '../../test/scripts.js';

const FILE: ScriptFile = {
  rules: [{ id: 'greeting', answers: ['Hello!'] }],
  intents: [
    {
      id: 'car',
      examples: ['was macht ein auto', 'was bedeutet zeit', 'wilde tiere', 'what does a car do'],
      answers: ['It drives.'],
    },
  ],
  questions: {
    animal: {
      about: ['was ist {thing}', 'what is a {thing}', 'qué es {thing}'],
      food: ['was fressen {thing}', 'what do {thing} eat', 'qué comen {thing}'],
    },
  },
  things: [
    { kind: 'animal', names: ['rentier', 'ren', 'reindeer', 'reno'], says: { about: 'Ren.', food: 'Moos.' } },
    { kind: 'animal', names: ['ente', 'enten', 'duck', 'pato'], says: { about: 'Ente.', food: 'Gras.' } },
    { kind: 'animal', names: ['sol', 'sole'], says: { about: 'Fish.', food: 'Worms.' } },
    { kind: 'animal', names: ['reis', 'rice'], says: { about: 'Reis.' } },
    { kind: 'animal', names: ['grape', 'grapes', 'lava'], says: { about: 'Grape.' } },
  ],
  unknown: ['?'],
  fallback: ['?'],
  shared: false,
};

const answer = (language: string, request: string) => talk(FILE, language, [request])[0]!.answer;

it.each([
  ['de', 'was fressen die beim autofahren?'],
  ['de', 'was ist ein kontinent?'],
  ['de', 'was sind zeitreisen?'],
  ['en', 'what is grateful?'],
  ['es', '¿qué es solo?'],
  ['es', '¿qué es lavar?'],
])('no thing is named by a piece of a word, or another word like it (%s: %s)', (language, request) => {
  expect(answer(language, request)).toMatch(/^\?|drives/);
});

it.each([
  ['de', 'was fressen rentiere?', 'Moos.'],
  ['de', 'was fressen wildenten?', 'Gras.'],
  ['de', 'was fressen autoenten?', 'Gras.'],
  ['en', 'what do ducks eat?', 'Gras.'],
  ['en', 'what do riendeer eat?', 'Moos.'],
  ['es', '¿qué comen los patos?', 'Gras.'],
])('a name in another form is one (%s: %s)', (language, request, expected) => {
  expect(answer(language, request)).toBe(expected);
});
