import { talk } from '../../test/scripts.js';
import { ScriptFile } from '../format/script-file.js';

const RULES = { rules: [{ id: 'greeting', answers: ['Hello!'] }], fallback: ['?'], unknown: ['No.'] };
/** An intent has two examples at least. */
const twice = (example: string) => [example, example];

const EN: ScriptFile = {
  ...RULES,
  intents: [
    {
      id: 'eggs_boil',
      examples: twice('how long do i boil an egg'),
      answers: ['Six minutes for a soft one, ten for a hard one. Then cold water.'],
    },
    { id: 'eggs_ideas', examples: twice('what could i do with eggs'), answers: ['An omelette.'] },
    { id: 'potatoes', examples: twice('what can i cook with potatoes'), answers: ['Mash.'] },
    {
      id: 'volcano',
      examples: ['how do volcanoes form', 'why do volcanoes explode'],
      answers: ['Gas drives the melt out.', 'Gas, mostly.'],
    },
    { id: 'chernobyl', examples: twice('why did chernobyl explode'), answers: ['Steam.'] },
    { id: 'inertia', examples: twice('what is inertia'), answers: ['Things go on. An example is a braking bus.'] },
    { id: 'rice', examples: twice('how much rice for two'), answers: ['80 grams a head. Wash it.'] },
    {
      id: 'soup',
      examples: twice('how long does soup keep'),
      answers: ['Three days in the fridge, three months in the freezer.'],
    },
    { id: 'tides', examples: twice('what are tides'), answers: ['The Moon pulls.'] },
    {
      id: 'anxious',
      examples: twice('i feel anxious'),
      answers: ['Sit down. Shall we do a breathing exercise?'],
      then: [{ match: ['@yes'], answers: ['Breathe in.'] }],
    },
    { id: 'sport', examples: twice('what exercise is good'), answers: ['Walking.'] },
    { id: 'interview', examples: ['interview', 'job interview'], answers: ['Prepare three stories.'] },
    { id: 'interview_wear', examples: twice('what should i wear at the interview'), answers: ['Clean shoes.'] },
    {
      id: 'interview_asked',
      examples: ['what will they ask me', 'what do they ask in an interview', 'questions in an interview'],
      answers: ['About you.'],
    },
  ],
};

const DE: ScriptFile = {
  ...RULES,
  intents: [
    {
      id: 'eier',
      examples: twice('wie lange kocht ein ei'),
      answers: ['Sechs Minuten für weich, zehn für hart. Dann kalt abschrecken.'],
    },
    { id: 'traege', examples: twice('was ist trägheit'), answers: ['Alles geht weiter. Etwa ein Bus, der bremst.'] },
    {
      id: 'angst',
      examples: twice('was hilft bei nervosität'),
      answers: ['Setz dich. Machen wir eine Atemübung?'],
      then: [{ match: ['@yes'], answers: ['Atme ein.'] }],
    },
  ],
};

const ES: ScriptFile = {
  ...RULES,
  intents: [
    { id: 'huevos', examples: twice('qué puedo hacer con los huevos'), answers: ['Una tortilla.'] },
    { id: 'patatas', examples: twice('qué puedo cocinar con patatas'), answers: ['Puré.'] },
    {
      id: 'volcan',
      examples: ['cómo se forman los volcanes', 'por qué explotan los volcanes'],
      answers: ['El gas empuja.', 'El gas, sobre todo.'],
    },
    { id: 'inercia', examples: twice('qué es la inercia'), answers: ['Todo sigue. Por ejemplo, un bus que frena.'] },
  ],
};

type Case = [file: ScriptFile, language: string, expected: string | RegExp, ...requests: string[]];

it.each<Case>([
  [EN, 'en', 'An omelette.', 'what can i cook with potatoes', 'and the eggs, what could i do with them'],
  [ES, 'es', 'Una tortilla.', 'qué puedo cocinar con patatas', 'y con los huevos qué podría hacer'],
  [EN, 'en', /^Gas/, 'how do volcanoes form', 'why do they explode though'],
  [ES, 'es', /^El gas/, 'cómo se forman los volcanes', 'pero por qué explotan'],
  [EN, 'en', /^Six minutes/, 'how long do i boil an egg', 'and a hard one?'],
  [DE, 'de', /^Sechs Minuten/, 'wie lange kocht ein ei', 'und ein weiches?'],
  [EN, 'en', '80 grams a head.', 'how much rice for two', 'and for five?'],
  [EN, 'en', /^Three days/, 'how long does soup keep', 'and in the freezer'],
  [EN, 'en', /braking bus/, 'what is inertia', 'give me an example'],
  [DE, 'de', /^Etwa/, 'was ist trägheit', 'gib mir ein beispiel'],
  [ES, 'es', /^Por ejemplo/, 'qué es la inercia', 'ponme un ejemplo'],
  [EN, 'en', 'Breathe in.', 'i feel anxious', 'yes ok lets do that exercise'],
  [DE, 'de', 'Atme ein.', 'was hilft bei nervosität', 'ja ok lass uns die atemübung machen'],
  [EN, 'en', 'About you.', 'job interview', 'what should i wear at the interview', 'what will they ask'],
])('goes on with what was told: %# (%s)', (file, language, expected, ...requests) => {
  const { answer } = talk(file, language, requests).at(-1)!;
  if (typeof expected === 'string') expect(answer).toBe(expected);
  else expect(answer).toMatch(expected);
});

it('says honestly that there is no example', () => {
  const [, example] = talk(EN, 'en', ['what are tides', 'give me an example of that please']);
  expect(example!.isAnswered).toBe(false);
});
