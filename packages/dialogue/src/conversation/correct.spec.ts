import { talk } from '../../test/scripts.js';
import { ScriptFile } from '../format/script-file.js';

/** An intent has two examples at least. */
const twice = (example: string) => [example, example];

const EN: ScriptFile = {
  rules: [{ id: 'no', match: ['@no'], answers: ['All right.'] }],
  fallback: ['?'],
  intents: [
    {
      id: 'sound',
      examples: twice('how fast is sound'),
      answers: ['340 metres in air, four times more in water. That is fast.'],
    },
    { id: 'sky', examples: twice('why is the sky blue'), answers: ['Blue scatters.'] },
    {
      id: 'moon_far',
      examples: ['how far is the moon', 'distance of the moon'],
      answers: ['384,000 kilometres. Shall I say more?'],
      then: [{ match: ['no', 'nein'], answers: ['Fine.'] }],
    },
    { id: 'moon_big', examples: ['how big is the moon', 'size of the moon'], answers: ['3,500 kilometres.'] },
    { id: 'biggest', examples: twice('what is the largest planet'), answers: ['Jupiter.'] },
    { id: 'smallest', examples: twice('what is the smallest planet'), answers: ['Mercury.'] },
    { id: 'neighbours', examples: twice('what do i give neighbours'), answers: ['Jam.'] },
    { id: 'talk', examples: twice('what do people talk about with neighbours'), answers: ['The weather.'] },
    { id: 'burnt', examples: twice('what helps a burnt saucepan'), answers: ['Soda.'] },
  ],
  questions: { animal: { food: ['what do {thing} eat', 'food of {thing}'] } },
  things: [
    { kind: 'animal', names: ['spiders'], says: { food: 'Insects.' } },
    { kind: 'animal', names: ['scorpions'], says: { food: 'Spiders.' } },
  ],
};

const DE: ScriptFile = {
  rules: [{ id: 'no', match: ['@no'], answers: ['Gut.'] }],
  fallback: ['?'],
  intents: [
    { id: 'moon_far', examples: twice('wie weit ist der mond weg'), answers: ['384.000 Kilometer.'] },
    { id: 'moon_big', examples: twice('wie groß ist der mond'), answers: ['3.500 Kilometer.'] },
    { id: 'biggest', examples: twice('welcher planet ist der größte'), answers: ['Jupiter.'] },
    { id: 'smallest', examples: twice('welcher planet ist der kleinste'), answers: ['Merkur.'] },
    { id: 'current', examples: twice('was ist strom'), answers: ['Ladung.'] },
    { id: 'voltage', examples: twice('was ist spannung'), answers: ['Druck.'] },
    { id: 'sleep', examples: twice('wie schlafe ich besser ein'), answers: ['Dunkel.'] },
    { id: 'awake', examples: twice('warum wache ich nachts auf'), answers: ['Alle wachen auf.'] },
    { id: 'plants', examples: twice('machen pflanzen nachts photosynthese'), answers: ['Nein.'] },
  ],
};

const ES: ScriptFile = {
  rules: [{ id: 'no', match: ['@no'], answers: ['Bien.'] }],
  fallback: ['?'],
  intents: [
    { id: 'moon_far', examples: twice('a qué distancia está la luna'), answers: ['384.000 kilómetros.'] },
    { id: 'moon_big', examples: twice('cómo de grande es la luna'), answers: ['3.500 kilómetros.'] },
    { id: 'biggest', examples: twice('cuál es el planeta más grande'), answers: ['Júpiter.'] },
    { id: 'smallest', examples: twice('cuál es el planeta más pequeño'), answers: ['Mercurio.'] },
    { id: 'lemon', examples: twice('cuánto limón lleva la mayonesa'), answers: ['Un chorro.'] },
    { id: 'oil', examples: twice('cuánto aceite lleva la mayonesa'), answers: ['Un vaso.'] },
    { id: 'plants', examples: twice('las plantas hacen la fotosíntesis de noche'), answers: ['No.'] },
    { id: 'tired', examples: twice('no quiero ser pesada'), answers: ['No lo eres.'] },
  ],
};

const said = (language: string, file: ScriptFile, ...requests: string[]) => talk(file, language, requests).at(-1)!.id;

it.each([
  ['moon_big', 'how far is the moon', 'no, i asked how big it is'],
  ['moon_big', 'how far is the moon', 'no i wanted to know how big it is'],
  ['moon_big', 'how far is the moon', "That's not what I asked. How big is the moon?"],
  ['moon_big', 'how far is the moon', 'wrong. i asked how big the moon is'],
  ['sky', 'how far is the moon', 'not the moon. why is the sky blue?'],
  ['smallest', 'what is the largest planet', 'no the smallest'],
  ['talk', 'what do i give neighbours', 'No, I ask what people talk about'],
  ['burnt', 'what do i give neighbours', 'I meant the saucepan, it is burnt. What helps?'],
  ['animal.food', 'what do spiders eat', "i didn't mean spiders, i meant scorpions"],
  ['sound', 'how fast is sound', 'not in air, in water'],
  ['unknown', 'how far is the moon', 'no, i asked why cats purr'],
])('asks anew what an English correction asks: %s', (id, ...requests) => {
  expect(said('en', EN, ...requests)).toBe(id);
});

it.each([
  ['moon_big', 'wie weit ist der mond weg', 'nein, ich wollte wissen wie groß er ist'],
  ['moon_big', 'wie weit ist der mond weg', 'das war nicht meine frage. wie groß ist der mond?'],
  ['smallest', 'welcher planet ist der größte', 'nein der kleinste'],
  ['voltage', 'was ist strom', 'ich meinte Strom. was ist Spannung'],
  ['awake', 'wie schlafe ich besser ein', 'nein ich meine warum wache ich nachts auf'],
  ['plants', 'was ist strom', 'nein, ich frage ob pflanzen nachts photosynthese machen'],
])('asks anew what a German correction asks: %s', (id, ...requests) => {
  expect(said('de', DE, ...requests)).toBe(id);
});

it.each([
  ['moon_big', 'a qué distancia está la luna', 'no, te pregunto cómo de grande es'],
  ['moon_big', 'a qué distancia está la luna', 'no es eso lo que pregunté. cómo de grande es la luna?'],
  ['smallest', 'cuál es el planeta más grande', 'no, el más pequeño'],
  ['oil', 'cuánto limón lleva la mayonesa', 'pregunto por el aceite, no limón'],
  ['plants', 'a qué distancia está la luna', 'no, me refiero a si las plantas hacen la fotosíntesis de noche'],
  ['tired', 'a qué distancia está la luna', 'no quiero ser pesada'],
])('asks anew what a Spanish correction asks: %s', (id, ...requests) => {
  expect(said('es', ES, ...requests)).toBe(id);
});

it('says honestly that it does not know what is meant, and tells the part of the last answer that does', () => {
  const [, unknown] = talk(EN, 'en', ['how far is the moon', 'no, i asked why cats purr']);
  expect(unknown!.answer).not.toMatch(/Fine|All right/);
  const [, part] = talk(EN, 'en', ['how fast is sound', 'not in air, in water']);
  expect(part!.answer).toBe('340 metres in air, four times more in water.');
});
