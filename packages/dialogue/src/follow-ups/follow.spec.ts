import { ScriptFile } from '../format/script-file.js';
import { talk } from '../../test/scripts.js';

const FILE: ScriptFile = {
  rules: [{ id: 'greeting', answers: ['¡Hola!'] }],
  intents: [
    {
      id: 'gazpacho',
      examples: ['cómo hago gazpacho', 'receta de gazpacho', 'how do i make gazpacho'],
      answers: ['Tomate y pepino. ¿Te digo las medidas?'],
      then: [
        { match: ['@yes'], answers: ['Un kilo.'], then: [{ match: ['por qué'], answers: ['Porque sí.'] }] },
        { match: ['^se puede congelar', '^can i freeze it'], answers: ['Sin pan, sí.'] },
        { match: ['no tengo pepino'], answers: ['Pues melón.'] },
      ],
    },
    {
      id: 'freeze',
      examples: ['se puede congelar', 'qué se puede congelar', 'can i freeze it', 'what can i freeze'],
      answers: ['Casi todo.'],
    },
  ],
  unknown: ['?'],
  heard: ['Ajá.'],
  fallback: ['?'],
};

const last = (language: string, ...turns: string[]) => talk(FILE, language, turns).at(-1)!.answer;

it('what if … agrees to nothing', () => {
  expect(last('es', 'cómo hago gazpacho', 'sí')).toBe('Un kilo.');
  expect(last('es', 'cómo hago gazpacho', 'y si me falta el agua')).not.toBe('Un kilo.');
});

it('a Spanish statement that begins with "no" denies nothing', () => {
  expect(last('es', 'cómo hago gazpacho', 'no tengo pepino')).toBe('Pues melón.');
});

it('a follow-up of the subject goes before a general example of the same words, two turns later too', () => {
  expect(last('es', 'cómo hago gazpacho', 'se puede congelar')).toBe('Sin pan, sí.');
  expect(last('es', 'cómo hago gazpacho', 'sí', 'se puede congelar')).toBe('Sin pan, sí.');
  expect(last('en', 'how do i make gazpacho', 'yes', 'can i freeze it')).toBe('Sin pan, sí.');
  expect(last('es', 'qué se puede congelar')).toBe('Casi todo.');
});

it('a question that says little behind what is told, without a mark, asks for that', () => {
  const file = {
    ...FILE,
    intents: [
      {
        id: 'pasta',
        examples: ['recipe with pasta and tomatoes', 'what can i cook with pasta'],
        answers: ['Boil it.'],
      },
      { id: 'broke', examples: ['i am broke what can i cook', 'cheap meals'], answers: ['Lentils.'] },
    ],
  };
  const ask = (request: string) => talk(file, 'en', [request])[0]!;
  expect(ask('i got pasta and tomatoes what can i make').answer).toBe('Boil it.');
  expect(ask('i am broke what can i cook').answer).toBe('Lentils.');
  expect(ask('i have a rusty spanner and a quokka what can i make').id).toBe('unknown');
});
