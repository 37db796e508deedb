import type { Intent } from '../format/script-file.js';
import { scriptOf, talk } from '../../test/scripts.js';

const INTENTS: readonly Intent[] = [
  {
    id: 'fever',
    say: [
      'why does the body make a fever when germs come in',
      'why do germs make a fever in us',
      'warum macht der körper bei keimen fieber',
      'por qué el cuerpo hace fiebre con los gérmenes',
    ],
    answer: ['Germs.'],
  },
  { id: 'egg', say: ['how long do i boil eggs', 'wie lange kochen eier'], answer: ['Six minutes.'] },
];
const scripts = Object.fromEntries(['en', 'de', 'es'].map((language) => [language, scriptOf(INTENTS, language)]));
const ask = (language: string, request: string) => talk(scripts[language]!, [request])[0]!;

it.each([
  ['en', 'what is diabetes', 'unknown'],
  ['en', 'why do germs make a fever in us?', 'fever'],
  ['en', 'how big is a tennis court?', 'unknown'],
  ['de', 'was sagt das ohmsche gesetz', 'unknown'],
  ['de', 'was ist diabetes?', 'unknown'],
  ['es', '¿qué es la diabetes?', 'unknown'],
  ['es', '¿qué significa cáncer?', 'unknown'],
])('a question for knowledge needs no care (%s: %s)', (language, request, id) => {
  expect(ask(language, request).id).toBe(id);
});

it.each([
  ['en', 'what is my blood pressure', 'safe_medical'],
  ['en', 'can i take ibuprofen and aspirin together?', 'safe_medical'],
  ['en', 'do i have to go to court?', 'safe_legal'],
  ['de', 'was sagt das gesetz zu meiner kündigung?', 'safe_legal'],
  ['de', 'brauche ich einen anwalt?', 'safe_legal'],
  ['es', '¿puedo tomar ibuprofeno con fiebre?', 'safe_medical'],
])('a question for advice does (%s: %s)', (language, request, id) => {
  expect(ask(language, request)).toMatchObject({ id, kind: 'care' });
});

it.each([
  ['en', 'my uncle has diabetes'],
  ['es', 'mi tío tiene diabetes'],
  ['de', 'mein onkel hat diabetes'],
  ['de', 'meine chefin bekommt kein visum'],
])('what is told of others, and asks for nothing, needs no advice (%s: %s)', (language, request) => {
  expect(ask(language, request).id).not.toMatch(/^safe_/);
});

it.each([
  ['en', 'my mum has a fever what should i do'],
  ['de', 'mein mann hat seit drei tagen fieber, was hilft'],
  ['es', 'mi madre tiene fiebre, qué hago'],
])('what is asked for others does (%s: %s)', (language, request) => {
  expect(ask(language, request).id).toMatch(/^safe_/);
});

it.each([
  ['en', 'why do birds not get electrocuted?', 'unknown'],
  ['es', '¿por qué los pájaros no se electrocutan?', 'unknown'],
  ['en', 'i got electrocuted', 'emergency'],
])('what is asked for knowledge is no danger (%s: %s)', (language, request, id) => {
  expect(ask(language, request).id).toBe(id);
});

it('documents may know more of food than advice does', () => {
  expect(ask('en', 'is it safe to eat raw chicken?')).toMatchObject({ id: 'safe_food', kind: 'unknown' });
});
