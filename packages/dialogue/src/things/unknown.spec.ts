import { ScriptFile } from '../format/script-file.js';
import { talk } from '../../test/scripts.js';

const RULES = { rules: [{ id: 'greeting', answers: ['Hello!'] }], fallback: ['?'] };

const EN: ScriptFile = {
  ...RULES,
  questions: {
    food: {
      about: ['what is {thing}', 'tell me about {thing}'],
      instead: ['what can i use instead of {thing}', 'what replaces {thing}'],
      trouble: ['why is my {thing} so tough', 'my {thing} is tough'],
      raw: ['can i eat {thing} raw', 'is raw {thing} safe'],
      amount: ['how much {thing} per person'],
    },
  },
  things: [
    { kind: 'food', names: ['butter'], says: { instead: 'B instead.', trouble: 'B trouble.', raw: 'B raw.' } },
    { kind: 'food', names: ['oats'], says: { raw: 'O raw.' } },
  ],
};
const DE: ScriptFile = {
  ...RULES,
  questions: {
    tier: { alter: ['wie alt werden {thing}'], futter: ['was fressen {thing}'], nacht: ['schlafen {thing} nachts'] },
  },
  things: [
    { kind: 'tier', names: ['meise', 'meisen'], says: { alter: 'M alter.', nacht: 'M nacht.' } },
    { kind: 'tier', names: ['hai', 'haie', 'haien'], says: { alter: 'H alter.' } },
    { kind: 'tier', names: ['einhorn'], says: { alter: 'E alter.' } },
  ],
};
const ES: ScriptFile = {
  ...RULES,
  questions: {
    animal: { edad: ['cuánto viven los {thing}'], comida: ['qué comen los {thing}', 'comen carne los {thing}'] },
  },
  things: [{ kind: 'animal', names: ['gatos', 'gato'], says: { edad: 'G edad.' } }],
};

const last = (file: ScriptFile, language: string, turns: readonly string[]) => talk(file, language, turns).at(-1)!;

describe('what is not known of a thing', () => {
  it.each([
    [EN, 'en', ['how much butter per person?'], /butter/],
    [EN, 'en', ['can i eat butter raw?', 'and how much of it per person?'], /butter/],
    [DE, 'de', ['wie alt werden meisen?', 'was fressen die?'], /Meisen/],
    [ES, 'es', ['¿cuánto viven los gatos?', '¿qué comen ellos?'], /gatos/],
  ] as const)('is said of that which the request is about (%#)', (file, language, turns, about) => {
    const { answer, isAnswered } = last(file, language, turns);
    expect(isAnswered).toBe(false);
    expect(answer).toMatch(about);
    expect(answer).not.toContain('tough');
  });

  it.each([
    [EN, 'en', ['what can i use instead of butter?', 'does it have gluten in it?']],
    [EN, 'en', ['what can i use instead of butter?', 'is the bright one perhaps a spread?']],
    [EN, 'en', ['what can i use instead of butter?', 'how much should i drink per person?']],
    [EN, 'en', ['does butter dream of electric sheep?']],
    [DE, 'de', ['wie alt werden meisen?', 'was ist der unterschied zwischen mitose und meiose?']],
    [DE, 'de', ['wie alt werden meisen?', 'haben die ein eigenes wappen?']],
    [ES, 'es', ['¿cuánto viven los gatos?', '¿tienen ellos un escudo propio?']],
  ] as const)('is said of no thing where the request names something else (%#)', (file, language, turns) => {
    expect(last(file, language, turns)).toMatchObject({ id: 'unknown', answer: '?' });
  });

  it.each([
    ['was fressen haie?', 'wie alt werden Haie?'],
    ['was frisst ein hai?', 'wie alt werden Haie?'],
    ['was frisst ein einhorn?', undefined],
  ])('questions that are suggested fit the name (%s)', (request, question) => {
    const { answer } = last(DE, 'de', [request]);
    if (question) expect(answer).toContain(question);
    else expect(answer).not.toContain('werden');
  });
});
