import { asking, scriptsOf } from '../../test/scripts.js';

const ask = asking(
  scriptsOf({
    rules: [
      { id: 'tell_name', answers: ['Hello {Name}.'] },
      { id: 'tell_like', answers: ['{Like}.'] },
      {
        id: 'tell_place',
        match: ['i live in {place}', 'vivo en {place}', 'ich wohne in {place}'],
        answers: ['{Place}.'],
      },
    ],
    intents: [
      {
        id: 'job',
        examples: ['i want to change my job', 'quiero cambiar de trabajo', 'ich will den job wechseln'],
        answers: ['New.'],
      },
      { id: 'mocked', examples: ['they call me names', 'en clase me llaman cosas'], answers: ['Mean.'] },
      { id: 'home', examples: ['where do you live', 'dónde vives', 'en qué ciudad vives'], answers: ['In here.'] },
      { id: 'garlic', examples: ['cuándo se siembra el ajo', 'when do i plant garlic'], answers: ['In autumn.'] },
    ],
    unknown: ['?'],
    heard: ['Go on.'],
    fallback: ['?'],
  }),
);

it.each([
  ['en', "i'm 45 and I want to change my job", 'job'],
  ['es', 'tengo 45 años y quiero cambiar de trabajo', 'told_quit_job'],
  ['de', 'ich bin 45 und will den job wechseln', 'job'],
  ['en', 'i live in leeds and they call me names', 'told_bullied'],
])('what is told besides what is remembered is answered (%s: %s)', (language, request, id) => {
  expect(ask(language, request).id).toBe(id);
});

it.each([
  ['en', "i'm 45 and i live in Leeds", /^tell_/],
  ['es', 'tengo 45 años y vivo en León', /^tell_/],
  ['en', 'call me Zora', /^tell_name/],
  ['en', 'everybody call me Bela', /^tell_name/],
  ['es', 'todos me llaman Chema', /^tell_name/],
])('what is remembered and nothing else is noted (%s: %s)', (language, request, id) => {
  expect(ask(language, request).id).toMatch(id);
});

it.each([
  ['en', 'we all know why they call me names'],
  ['es', 'en el cole me llaman cuatro ojos'],
  ['es', 'a mí lo que me gusta es mirar las nubes'],
  ['de', 'ich liebe ihn und er ist weg'],
])('no slot takes what is none (%s: %s)', (language, request) => {
  expect(ask(language, request).id).not.toMatch(/^tell_(name|like)/);
});

it.each([
  ['es', 'por fin tengo balcón'],
  ['es', 'por eso quiero cambiar de trabajo'],
  ['es', 'cuando suena esa canción me acuerdo de mi padre'],
  ['es', 'he engordado desde que vivo lejos'],
  ['en', 'when i was ten we moved to the coast'],
])('a statement that begins as questions do asks nothing (%s: %s)', (language, request) => {
  expect(ask(language, request).answer).not.toMatch(/^\?|In here/);
});

it.each([
  ['es', 'cuando se siembra el ajo', 'garlic'],
  ['en', 'when should i plant garlic', 'garlic'],
  ['es', 'por favor dime donde vives', 'home'],
])('questions still ask (%s: %s)', (language, request, id) => {
  expect(ask(language, request).id).toBe(id);
});
