import { asking, scriptsOf } from '../../test/scripts.js';

const ask = asking(
  scriptsOf({
    rules: [{ id: 'greeting', answers: ['Hello'] }],
    intents: [
      {
        id: 'fever',
        examples: ['why does the body make a fever when germs come in', 'germs and fever of the body'],
        answers: ['Germs.'],
      },
      {
        id: 'fieber',
        examples: ['warum macht der körper bei keimen fieber', 'keime und fieber im körper'],
        answers: ['Keime.'],
      },
      {
        id: 'fiebre',
        examples: ['por qué el cuerpo hace fiebre con los gérmenes', 'gérmenes y fiebre'],
        answers: ['Gérmenes.'],
      },
    ],
    unknown: ['?'],
    fallback: ['?'],
  }),
);

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
  expect(ask(language, request).id).toBe(id);
});
