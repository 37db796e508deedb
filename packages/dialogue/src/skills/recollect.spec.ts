import { asking, scriptsOf } from '../../test/scripts.js';

const file = {
  rules: [{ id: 'tell_name', match: ['my name is {name}'], answers: ['Hello {Name}'] }],
  intents: [
    {
      id: 'eclipse',
      examples: ['when is the next eclipse', 'wann ist die nächste finsternis'],
      answers: ['In August.'],
    },
    {
      id: 'acid',
      examples: [
        'was ist der unterschied zwischen säure und base',
        'what is the difference between an acid and a base',
      ],
      answers: ['Protons.'],
    },
  ],
  fallback: ['?'],
  topics: ['tea', 'bread', 'maps'],
  unknown: ['No. But {topics}?'],
};
const says = asking(scriptsOf(file));

it.each<[language: string, question: string, expected: string, ...before: string[]]>([
  ['en', 'and in which city is the job?', 'Leeds', 'i got a job offer', "it's in Leeds, so i'd have to move"],
  ['en', 'which day is the picnic?', 'saturday', 'picnic on saturday in the park, ideas?'],
  ['en', 'and how many of us?', 'eight', "we're eight people, how much should I make?"],
  ['en', "who's doing the run with me?", 'Kofi', 'i walk a lot', 'i want to do the run in june with my mate Kofi'],
  ['en', 'what did i start last week?', 'painting', 'started painting last week, horrible'],
  ['en', 'how old was I when they took it out?', 'twelve', 'my appendix is gone', 'it was taken out when I was twelve'],
  ['en', "what's my grandson's name?", 'Alfie', 'my grandson likes boats', 'he is called Alfie and he is eight'],
  ['en', 'whats my daughters name?', 'Rosa', 'i just had a baby', 'shes called Rosa'],
  ['en', 'which day are they coming?', 'sunday', "i've got guests on sunday", 'they eat no fish'],
  ['de', 'welche Sprache lerne ich?', 'Italienisch', 'Ich lerne gerade Italienisch'],
  ['de', 'und wohin zieht sie?', 'kanada', 'meine beste freundin zieht weg', 'nach kanada sogar'],
  ['de', 'wie heißt meine freundin?', 'Clara', 'meine beste freundin zieht weg', 'sie heißt übrigens Clara'],
  ['de', 'zu wievielt sind wir', 'siebt', 'wir sind zu siebt und haben Hunger'],
  ['de', 'Seit wann ist meine Mutter nochmal bei uns?', 'März', 'Meine Mutter wohnt seit März bei uns.', 'Sie schläft'],
  ['de', 'wann hab ich geburtstag', '3. november', 'ich hab am 3. november geburtstag'],
  ['de', 'wie heißt mein hund?', 'Pauli', 'ich habe seit gestern einen hund', 'er heißt Pauli'],
  ['es', 'en qué isla vivo?', 'tenerife', 'vivo en tenerife y me gusta'],
  ['es', 'a dónde viajo?', 'lisboa', 'me voy sola de viaje', 'a lisboa, cinco días'],
  ['es', 'y qué día salgo?', 'jueves', 'salgo el jueves', 'tengo dos maletas'],
  ['es', 'qué días juego al dominó?', 'martes', 'me entretengo con el dominó', 'los martes y los jueves'],
  ['es', '¿qué nombre le puse al perro?', 'Arepa', 'adopté un perro', 'le puse Arepa'],
  ['es', 'y qué día?', 'sábado', 'me mudo el sábado de granada a bilbao'],
  ['es', 'a dónde me mudo?', 'bilbao', 'me mudo el sábado de granada a bilbao', 'qué nervios'],
  ['es', 'cuándo comemos en familia?', 'domingo', 'el domingo comemos en familia'],
])('recalls in %s: "%s" with %s', (language, question, expected, ...before) => {
  expect(says(language, question, ...before).answer).toContain(expected);
});

it.each([
  ['en', 'where am i flying to?', "i've got a flight tomorrow and i'm nervous"],
  ['en', 'how many did my sister buy?', 'my sister went to buy apples'],
  ['de', 'wohin fliege ich?', 'ich fliege morgen, hilfe'],
  ['es', '¿a dónde viajo?', 'mañana viajo y estoy nerviosa'],
])('quotes nothing that is no answer of the kind: %s: %s', (language, question, before) => {
  expect(says(language, question, before).id).not.toBe('recollect');
});

it.each([
  ['en', 'when is the next eclipse?', 'eclipse'],
  ['en', 'what was the difference between an acid and a base again?', 'acid'],
  ['de', 'wann ist die nächste Finsternis?', 'eclipse'],
  ['de', 'was war nochmal der Unterschied zwischen Säure und Base', 'acid'],
  ['en', 'how much do I need?', 'unknown'],
  ['de', 'welches Datum haben wir heute?', 'clock'],
  ['en', 'what time is it?', 'clock'],
])('takes no question for knowledge for one for what was said: %s: %s', (language, question, expected) => {
  expect(says(language, question, 'I have three cats', 'ich habe drei Katzen seit Mai').id).toBe(expected);
});

describe('what somebody did for a living, is called or is old, told by the way', () => {
  it.each([
    ['en', 'what did I do for a living?', 'nurse', ['I was a nurse for forty years, you know']],
    ['en', 'what was my job again?', 'bus driver', ['i worked as a bus driver']],
    ['de', 'Was war ich nochmal von Beruf?', 'Schreiner', ['Früher war ich Schreiner', 'ich war früher sauer']],
    ['de', 'als was habe ich gearbeitet?', 'köchin', ['ich habe als köchin gearbeitet']],
    ['es', '¿en qué trabajaba yo?', 'enfermera', ['fui enfermera cuarenta años']],
    ['es', 'a qué me dedicaba', 'maestra', ['yo era maestra', 'era muy feliz']],
    ['es', '¿cuántos años tengo?', '71', ['tengo ya 71', 'tengo dos']],
    ['es', 'cómo se llaman mis hijos', 'Lucas', ['echo de menos a mis hijos', 'son Lucas y Vera']],
    ['de', 'und an welchem tag?', 'samstag', ['ich ziehe am samstag nach bremen']],
    ['es', 'y qué día?', 'sábado', ['me mudo el sábado']],
    ['en', 'and where to?', 'rome', ["i'm flying to rome on friday", 'and what day?']],
  ])('is found (%s): %s', (language, ask, expected, told) => {
    expect(says(language, ask, ...told).answer).toContain(expected);
  });

  it('is nothing else', () => {
    expect(says('en', 'what was my job', 'I was a mess').answer).not.toContain('mess');
    expect(says('de', 'was war mein beruf', 'ich war früher sauer').answer).not.toContain('sauer');
    expect(says('es', 'cuántos años tengo', 'tengo dos').answer).not.toContain('dos');
  });
});

it('who does not know what they did asks for nothing that they said', () => {
  expect(says('en', "i don't know what i did", 'my friend does not answer').id).not.toMatch(/^rec/);
  expect(says('en', 'do you know what i did', 'my friend does not answer').id).toMatch(/^rec/);
});
