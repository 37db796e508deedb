import { talk } from '../../test/scripts.js';
import type { ScriptFile } from '../format/script-file.js';

const fact = (topics: string[], text: string) => ({ topics, text });
const script: ScriptFile = {
  rules: [{ id: 'bye', answers: ['Bye.'] }],
  intents: [
    {
      id: 'far_side',
      examples: [
        'why do we see one side of the moon',
        'warum sieht man nur eine seite vom mond',
        'por qué vemos una sola cara de la luna',
      ],
      answers: ['It turns once a month.'],
    },
  ],
  facts: [
    fact(['moon', 'mond', 'luna'], 'Moon fact.'),
    fact(['dreams', 'träume', 'sueños'], 'Dream fact.'),
    fact(['volcanoes', 'vulkane', 'volcanes'], 'Volcano fact.'),
  ],
  topics: [],
  unknown: ['I do not know that. I can tell you about {topics}.'],
  fallback: ['?'],
};
const SCRIPTS: Readonly<Record<string, ScriptFile>> = {
  en: { ...script, topics: ['the moon', 'dreams', 'volcanoes'] },
  de: { ...script, topics: ['den Mond', 'Träume', 'Vulkane'] },
  es: { ...script, topics: ['la luna', 'los sueños', 'los volcanes'] },
};
const UNKNOWN: Readonly<Record<string, string>> = {
  en: 'what does a ferrari cost?',
  de: 'was kostet ein ferrari?',
  es: '¿quién ganó la liga?',
};
const reply = (language: string, request: string) =>
  talk(SCRIPTS[language]!, language, [UNKNOWN[language]!, request])[1];

it.each([
  ['en', 'the moon sounds good', 'Moon fact.'],
  ['en', "ok, i'll take dreams then", 'Dream fact.'],
  ['en', 'Oh, the moon sounds nice. Tell me about that.', 'Moon fact.'],
  ['en', 'My grandson loves volcanoes, what do you know about those?', 'Volcano fact.'],
  ['de', 'dann der mond', 'Moon fact.'],
  ['de', 'Der Mond interessiert mich.', 'Moon fact.'],
  ['de', 'ja gern, die träume', 'Dream fact.'],
  ['de', 'na dann vulkane', 'Volcano fact.'],
  ['es', 'pues los sueños', 'Dream fact.'],
  ['es', 'la luna me interesa', 'Moon fact.'],
])('takes up a topic that was offered, in any words (%s): %s', (language, request, answer) => {
  expect(reply(language, request)).toMatchObject({ answer });
});

it.each([
  ['en', 'the last one'],
  ['de', 'das letzte'],
  ['es', 'el último'],
])('takes up a topic by its place (%s): %s', (language, request) => {
  expect(reply(language, request)!.answer).toMatch(/ fact\.$/u);
});

it.each([
  ['en', 'then the moon. why do we see only one side?'],
  ['de', 'dann der mond. wieso sieht man immer nur die eine seite?'],
])('answers the question behind a topic that is taken up (%s): %s', (language, request) => {
  expect(reply(language, request)).toMatchObject({ id: 'far_side' });
});

it.each([
  ['en', 'no thanks'],
  ['de', 'nein danke'],
  ['de', 'mein mond leuchtet kaputt'],
])('takes up nothing else (%s): %s', (language, request) => {
  expect(reply(language, request)!.id).not.toBe('fact');
});
