import { ScriptFile } from '../format/script-file.js';
import { talk } from '../../test/scripts.js';

const FILE: ScriptFile = {
  rules: [
    { id: 'greeting', answers: ['Hello!'] },
    { id: 'insult', match: ['idiota', 'idiot'], priority: 1, answers: ['Ouch.'] },
  ],
  intents: [
    {
      id: 'lasagne',
      examples: ['how do i make lasagne', 'i want to make a lasagne', 'wie mache ich lasagne', 'lasagne machen'],
      answers: ['First the sauce.'],
      then: [{ match: ['^yes'], answers: ['Then the sheets. Bake it for 40 minutes.'] }],
    },
    {
      id: 'ahead',
      examples: ['can i make it the day before', 'kann man das vorher machen'],
      answers: ['Most things.'],
    },
    { id: 'oven', examples: ['how hot must the oven be', 'wie heiß muss der ofen'], answers: ['180 degrees.'] },
    {
      id: 'flag',
      examples: ['is the flag still on the moon', 'who put the flag on the moon'],
      answers: ['Bleached white.'],
    },
    { id: 'stars', examples: ['what is a star', 'how far is a star', 'why do stars shine'], answers: ['Far suns.'] },
    { id: 'mean', examples: ['why do they do that', 'por qué hacen eso'], answers: ['Out of boredom.'] },
    { id: 'laughed', examples: ['they laugh at me', 'se ríen de mí'], answers: ['Because they are unkind.'] },
    {
      id: 'ex',
      examples: ['my friends say he was an idiot', 'mis amigas dicen que era un idiota'],
      answers: ['They care.'],
    },
    { id: 'mates', examples: ['nadie limpia el piso', 'nobody cleans the flat'], answers: ['Talk.'] },
    {
      id: 'nagging',
      examples: ['cómo se lo digo sin parecer pesada', 'decirlo sin parecer pesada'],
      answers: ['Calmly.'],
    },
    { id: 'baby', examples: ['what do i pack for a baby', 'things for a baby'], answers: ['Little.'] },
  ],
  questions: {
    dish: {
      about: ['what is {thing}'],
      keep: ['can i make {thing} the day before', 'kann man {thing} vorher machen', 'how long does {thing} keep'],
    },
    body: { size: ['how long is the {thing}', 'how big is the {thing}', 'how long does the {thing} get'] },
  },
  things: [
    { kind: 'dish', names: ['lasagne', 'lasagna'], says: { keep: 'A day ahead.' } },
    { kind: 'body', names: ['skin'], says: { size: 'Two square metres.' } },
  ],
  unknown: ['?'],
  heard: ['Go on.'],
  fallback: ['?'],
};

const last = (language: string, turns: readonly string[]) => talk(FILE, language, turns).at(-1)!;

it.each([
  ['en', ['can you see the flag on the moon with a telescope?']],
  ['en', ['how long does a tattoo get on the skin?']],
])('few words in common are no answer where others are named (%s: %j)', (language, turns) => {
  expect(last(language, turns).answer).toBe('?');
});

it.each([
  ['en', ['i want to make a lasagna', 'can i make it the day before?'], 'A day ahead.'],
  ['en', ['i want to make a lasagne', 'yes', 'how long in the oven?', 'can i make it the day before?'], 'A day ahead.'],
  ['de', ['wie mache ich lasagne', 'wie heiß muss der ofen'], '180 degrees.'],
  ['en', ['they laugh at me', 'why do they do that'], 'Out of boredom.'],
  ['es', ['nadie limpia el piso', 'cómo se lo digo sin parecer pesada'], 'Calmly.'],
  ['es', ['mis amigas dicen que era un idiota'], 'They care.'],
  ['es', ['eres idiota'], 'Ouch.'],
])('what is meant is answered (%s: %j)', (language, turns, answer) => {
  expect(last(language, turns).answer).toBe(answer);
});

it.each([
  ['en', 'My sister had a baby. What do quokkas bring?'],
  ['de', 'Meine Schwester hat ein Baby bekommen. Was bringen Quokkas mit?'],
  ['es', 'Mi hermana ha tenido un bebé. ¿Qué llevan los quokkas?'],
])('a question that nothing answers gets no reaction to what is told before it (%s)', (language, request) => {
  expect(last(language, [request])).toMatchObject({ answer: '?', isAnswered: false });
});
