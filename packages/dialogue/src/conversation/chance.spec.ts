import { ScriptFile } from '../format/script-file.js';
import { talk } from '../../test/scripts.js';

const script = (intents: Record<string, readonly string[]>): ScriptFile => ({
  rules: [{ id: 'hm', match: ['hmhm'], answers: ['Hm.'] }],
  intents: Object.entries(intents).map(([id, examples]) => ({ id, examples: [...examples], answers: [`${id}.`] })),
  unknown: ['?'],
  fallback: ['?'],
  shared: false,
});

const SCRIPTS: Readonly<Record<string, ScriptFile>> = {
  en: script({
    sugar: ['do i put sugar in tomato sauce', 'why sugar in tomato sauce', 'is sugar in tomato sauce needed'],
    tomatoes: ['how do i peel tomatoes', 'peel tomatoes easily', 'why peel tomatoes'],
    party: ['what do i bring to a party', 'snacks for friday', 'who cooks for guests', 'how many plates', 'a big cake'],
    work: ['may i leave early', 'what do i wear on friday', 'is there a canteen', 'my desk is loud', 'who has the key'],
    butter: ['what can i use instead of butter', 'instead of butter'],
    sport: ['how do i run faster', 'run faster'],
    chess: ['how does a pawn move', 'pawn rules'],
  }),
  de: script({
    zucker: ['soll zucker in die tomatensoße', 'warum zucker in die tomatensoße', 'zucker in tomatensoße nötig'],
    gulasch: ['wie lange muss gulasch schmoren', 'gulasch schmoren', 'bei wie viel grad gulasch schmoren'],
    fest: [
      'was bringe ich zum fest mit',
      'snacks für samstag',
      'wer kocht für gäste',
      'wie viele teller',
      'große torte',
    ],
    arbeit: [
      'darf ich früher gehen',
      'was ziehe ich samstag an',
      'gibt es eine kantine',
      'mein tisch wackelt',
      'schlüssel',
    ],
    butter: ['was kann ich statt butter nehmen', 'statt butter'],
    schach: ['wie zieht der bauer', 'regeln für den bauern'],
  }),
  es: script({
    azucar: ['pongo azúcar en la salsa de tomate', 'por qué azúcar en la salsa de tomate', 'azúcar en salsa de tomate'],
    guiso: ['cuánto tarda el guiso en reposar', 'reposar el guiso', 'por qué reposar el guiso'],
    fiesta: [
      'qué llevo a la fiesta',
      'comida para el sábado',
      'quién cocina para invitados',
      'cuántos platos',
      'una tarta',
    ],
    trabajo: [
      'puedo salir pronto',
      'qué me pongo el sábado',
      'hay comedor',
      'mi mesa se mueve',
      'quién tiene la llave',
    ],
    ajo: ['cuándo se siembra el ajo', 'sembrar ajo'],
    ajedrez: ['cómo se mueve el peón', 'reglas del peón'],
  }),
};

const idOf = (language: string, request: string) => talk(SCRIPTS[language]!, language, [request])[0]!.id;

describe('words in common that may be chance', () => {
  it.each([
    ['en', 'can i put the lentils in the tomato sauce?'],
    ['en', 'what is there on friday?'],
    ['en', 'what does peel mean?'],
    ['de', 'soll spinat in die tomatensoße?'],
    ['de', 'was ist denn am samstag?'],
    ['de', 'was bedeutet schmoren?'],
    ['es', '¿pongo lentejas en la salsa de tomate?'],
    ['es', '¿cómo será el sábado?'],
    ['es', '¿qué significa reposar?'],
  ])('answer nothing (%s: %s)', (language, request) => {
    expect(idOf(language, request)).toBe('unknown');
  });

  it.each([
    ['en', 'should i put sugar in the tomato sauce?', 'sugar'],
    ['en', 'what do i wear on a friday?', 'work'],
    ['en', 'what does a pawn do?', 'chess'],
    ['de', 'muss zucker in die tomatensoße?', 'zucker'],
    ['de', 'was ziehe ich am samstag an?', 'arbeit'],
    ['es', '¿le pongo azúcar a la salsa de tomate?', 'azucar'],
    ['es', '¿qué me pongo este sábado?', 'trabajo'],
  ])('answer where they are what is asked (%s: %s)', (language, request, id) => {
    expect(idOf(language, request)).toBe(id);
  });
});

describe('a common word with a typing error', () => {
  it.each([
    ['en', 'what can i use insted of butter', 'butter'],
    ['en', 'insted of butter', 'butter'],
    ['en', 'hwat can i use instead of butter', 'butter'],
    ['de', 'was kan ich statt butter nehmen', 'butter'],
    ['es', 'cuanod se siembra el ajo', 'ajo'],
  ])('is read as it is spelt (%s: %s)', (language, request, id) => {
    expect(idOf(language, request)).toBe(id);
  });
});
