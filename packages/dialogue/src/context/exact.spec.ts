import { ScriptFile } from '../format/script-file.js';
import { talk } from '../../test/scripts.js';

const RULES = {
  rules: [{ id: 'hm', match: ['hmhm'], answers: ['Hm.'] }],
  unknown: ['?'],
  fallback: ['?'],
  shared: false,
};
type Intents = NonNullable<ScriptFile['intents']>;

const script = (intents: Intents): ScriptFile => ({ ...RULES, intents });

const SCRIPTS: Readonly<Record<string, ScriptFile>> = {
  en: script([
    {
      id: 'ill_mother',
      examples: ['my mother is ill', 'my mother is very sick'],
      answers: ['I am sorry. It may take hours or days.'],
      then: [
        { match: ["i'm afraid"], answers: ['Let fear come.'] },
        { match: ['how do i tell her'], answers: ['Calmly.'] },
      ],
    },
    { id: 'spiders', examples: ["i'm afraid of spiders", 'spiders scare me'], answers: ['Spiders.'] },
    { id: 'tell', examples: ['how do i tell her', 'how do i tell my wife the truth'], answers: ['Just say it.'] },
    { id: 'cold', examples: ['how long does a cold last', 'duration of a cold'], answers: ['A cold.'] },
    {
      id: 'cake_sank',
      examples: ['why did my cake sink', 'my cake sank'],
      answers: ['Too early out of the oven. Too much baking powder does it too.'],
    },
    { id: 'cake_dry', examples: ['how do i make a cake moist', 'my cake is dry'], answers: ['With oil.'] },
    { id: 'powder', examples: ['what does baking powder do', 'baking powder or soda'], answers: ['Gas.'] },
  ]),
  de: script([
    {
      id: 'mutter_krank',
      examples: ['meine mutter ist krank', 'meine mutter liegt im krankenhaus'],
      answers: ['Das tut mir leid. Es kann Stunden oder Tage dauern.'],
      then: [{ match: ['ich habe angst'], answers: ['Lass sie kommen.'] }],
    },
    { id: 'spinnen', examples: ['ich habe angst vor spinnen', 'spinnen machen mir angst'], answers: ['Spinnen.'] },
    { id: 'schnupfen', examples: ['wie lange dauert ein schnupfen', 'dauer von schnupfen'], answers: ['Schnupfen.'] },
  ]),
  es: script([
    {
      id: 'madre_enferma',
      examples: ['mi madre está enferma', 'mi madre está en el hospital'],
      answers: ['Lo siento. Puede durar horas o días.'],
      then: [{ match: ['tengo miedo'], answers: ['Déjalo venir.'] }],
    },
    { id: 'aranas', examples: ['tengo miedo a las arañas', 'me asustan las arañas'], answers: ['Arañas.'] },
    { id: 'resfriado', examples: ['cuánto dura un resfriado', 'duración del resfriado'], answers: ['Resfriado.'] },
    { id: 'corto', examples: ['cuándo es el día más corto', 'el día más corto del año'], answers: ['En diciembre.'] },
    { id: 'nervios', examples: ['tengo una entrevista mañana', 'mañana tengo una entrevista'], answers: ['¡Suerte!'] },
  ]),
};

const last = (language: string, turns: readonly string[]) => talk(SCRIPTS[language]!, language, turns).at(-1)!;

it.each([
  ['en', ['my mother is ill', "i'm afraid of spiders"], 'spiders'],
  ['en', ['my mother is ill', 'how long does a cold last'], 'cold'],
  ['en', ['how do i make a cake moist', 'what does baking powder do'], 'powder'],
  ['en', ['how do i make a cake moist', 'what does baking powder actually do'], 'powder'],
  ['de', ['meine mutter ist krank', 'ich habe angst vor spinnen'], 'spinnen'],
  ['de', ['meine mutter ist krank', 'wie lange dauert ein schnupfen'], 'schnupfen'],
  ['es', ['mi madre está enferma', 'tengo miedo a las arañas'], 'aranas'],
  ['es', ['mi madre está enferma', 'cuánto dura un resfriado'], 'resfriado'],
  ['es', ['cuándo es el día más corto'], 'corto'],
  ['es', ['tengo una entrevista mañana'], 'nervios'],
])('an example word for word goes before what guesses (%s: %j)', (language, turns, id) => {
  expect(last(language, turns).id).toBe(id);
});

it.each([
  ['en', ['my mother is ill', "i'm afraid"], 'Let fear come.'],
  ['en', ['my mother is ill', 'how do i tell her'], 'Calmly.'],
  ['de', ['meine mutter ist krank', 'ich habe angst'], 'Lass sie kommen.'],
  ['es', ['mi madre está enferma', 'tengo miedo'], 'Déjalo venir.'],
])('a follow-up that says all of it goes before an example (%s: %j)', (language, turns, answer) => {
  expect(last(language, turns).answer).toBe(answer);
});

it.each([
  ['en', ['my birthday is on 3 May', 'when is my birthday?'], /3 May/],
  ['es', ['mi cumpleaños es el 3 de mayo', '¿cuándo es mi cumpleaños?'], /3 de mayo/],
])('what the user told is still found (%s: %j)', (language, turns, found) => {
  expect(last(language, turns).answer).toMatch(found);
});
