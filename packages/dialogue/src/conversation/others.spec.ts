import { asking, scriptsOf } from '../../test/scripts.js';

const ask = asking(
  scriptsOf({
    rules: [
      { id: 'greeting', answers: ['Hello.'] },
      { id: 'bye', answers: ['Bye.'] },
    ],
    intents: [
      {
        id: 'phone',
        examples: [
          'my phone rings all the time',
          'me llaman por teléfono a todas horas',
          'mein telefon klingelt dauernd',
        ],
        answers: ['Mute it.'],
      },
      {
        id: 'wires',
        examples: [
          'why do birds not get electrocuted',
          'por qué los pájaros no se electrocutan',
          'warum bekommen vögel keinen stromschlag',
        ],
        answers: ['One wire.'],
      },
      {
        id: 'egg',
        examples: ['how long do i boil eggs', 'wie lange kochen eier', 'cuánto se cuecen los huevos'],
        answers: ['Six minutes.'],
      },
    ],
    unknown: ['?'],
    heard: ['Go on.'],
    fallback: ['?'],
  }),
);

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
  ['en', 'hello zed, quokkas again', /^Hello! Go on\.$/],
  ['en', 'hello zed, can you juggle quokkas?', /^Hello! \?$/],
  ['de', 'guten Morgen, ich habe ein Quokka', /^Hallo! Go on\.$/],
  ['es', 'hola zed, tengo un quokka', /^¡Hola! Go on\.$/],
  ['en', 'can you juggle quokkas?', /^\?$/],
])('who greets is greeted where nothing answers (%s: %s)', (language, request, answer) => {
  expect(ask(language, request).answer).toMatch(answer);
});

it.each([
  ['en', 'the doorbell rings, bye', 'bye'],
  ['es', 'te dejo, que me llaman por teléfono', 'bye'],
  ['de', 'mein bus kommt, bis bald', 'bye'],
  ['en', 'bye! how long do i boil eggs', 'egg'],
])('a goodbye is met beside what nothing answers (%s: %s)', (language, request, id) => {
  expect(ask(language, request).id).toBe(id);
});

it.each([
  ['en', 'why do birds not get electrocuted?', 'wires'],
  ['es', '¿por qué los pájaros no se electrocutan?', 'wires'],
  ['en', 'i got electrocuted', 'emergency'],
])('what is asked for knowledge, and stands among the examples, is no danger (%s: %s)', (language, request, id) => {
  expect(ask(language, request).id).toBe(id);
});
