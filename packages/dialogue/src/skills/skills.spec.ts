import { replyTo } from '../reply.js';
import { asking, NOW, scriptsOf } from '../../test/scripts.js';

const rules = [{ id: 'tell_name', match: ['my name is {name}'], answers: ['Hello {Name}'] }];
const file = {
  rules,
  fallback: ['?'],
  topics: ['tea', 'bread', 'maps'],
  unknown: ['No. But {topics}?'],
};
const scripts = scriptsOf(file);
const says = asking(scripts);

it.each([
  ['en', 'what is 12 times 7?', '12 × 7 is 84.'],
  ['en', 'twenty five plus three', '25 + 3 is 28.'],
  ['en', '2 + 3 * 4 ^ 2', '2 + 3 × 4^2 is 50.'],
  ['en', '(2 + 3) * -4', /is -20\./],
  ['en', '15% of 80', /is 12\./],
  ['en', 'square root of 144 please', /is 12\./],
  ['en', 'what is 1,000.5 / 2', /is 500\.25\./],
  ['en', 'what is 3 / 0', /divided by zero/],
  ['en', 'how much is 3 meals times 7 days', '3 × 7 is 21.'],
  ['en', "what's 144 divided by 12 then plus 7", /is 19\./],
  ['de', 'Wie viel ist zwölf mal sieben?', '12 × 7 ist 84.'],
  ['es', '¿cuánto es 14 personas por 200 gramos?', /son 2800\.|son 2\.800\./],
  ['de', '1.000,5 durch 2', /ist 500,25\./],
  ['de', 'einundzwanzig plus 2', /ist 23\./],
  ['es', '¿Cuánto es treinta y cinco por 2?', /son 70\./],
])('calculates (%s): %s', (language, request, expected) => {
  expect(says(language, request)).toMatchObject({
    id: 'calculate',
    isAnswered: true,
  });
  expect(says(language, request).answer).toEqual(
    typeof expected === 'string' ? expected : expect.stringMatching(expected),
  );
});

it.each(['10', 'route 66', '2 +', '((((', '5 5', '('.repeat(50) + '1', '9^9^9^9 apples'])(
  'does not calculate %s',
  (request) => {
    expect(says('en', request).id).not.toBe('calculate');
  },
);

it('does not guess numbers that are too large', () => {
  expect(says('en', '9^9^9^9').answer).toMatch(/too large/);
});

it.each([
  ['en', '5 miles in km', '5 mi is 8.047 km.'],
  ['en', 'how many cups are in a litre?', '1 l is 4.167 cups.'],
  ['en', 'convert 212 fahrenheit to celsius', '212 °F is 100 °C.'],
  ['en', 'how many grams in 2 ounces', '2 oz is 56.7 g.'],
  ['de', 'wie viele Kilometer sind 3 Meilen', '3 mi sind 4,828 km.'],
  ['es', '¿cuántos metros son 2 kilómetros?', '2 km son 2000 m.'],
  ['es', '¿cuántos gramos es media libra?', '0,5 lb son 226,8 g.'],
])('converts (%s): %s', (language, request, expected) => {
  expect(says(language, request)).toMatchObject({
    id: 'convert',
    answer: expected,
  });
});

it.each(['how many km to the moon', '5 kg in km', '5 miles', 'a cup of tea'])('does not convert %s', (request) => {
  expect(says('en', request).id).not.toBe('convert');
});

it.each([
  ['en', 'what time is it in Tokyo?', /19:30/],
  ['en', 'what day is it today', /Saturday.* 2 May 2026/],
  ['en', 'what year is it', /2026/],
  ['en', 'how many days until christmas', /237 days/],
  ['de', 'Wie spät ist es in New York?', /06:30/],
  ['de', 'welcher Tag ist heute', /Samstag, 2\. Mai 2026/],
  ['es', '¿Qué hora es en Madrid?', /12:30/],
  ['es', '¿qué día es hoy?', /sábado, 2 de mayo de 2026/],
])('tells the time (%s): %s', (language, request, expected) => {
  expect(says(language, request).answer).toMatch(expected);
});

describe('remembers', () => {
  it.each([
    ['en', 'My dog is called Rex', "What's my dog's name?", /Rex/],
    ['en', "my sister's name is Anna Maria, you know", 'what is my sister called', /Anna Maria/],
    ['en', 'I have a cat. Her name is Luna.', "do you remember my cat's name", /Luna/],
    ['en', 'My birthday is on 3 May.', 'When is my birthday?', /3 May/],
    ['en', 'i hate mushrooms', "what don't I like?", /mushrooms/],
    ['en', 'I am allergic to nuts', 'what am I allergic to', /nuts/],
    ['en', 'my favourite colour is dark green', "what's my favorite color", /dark green/],
    ['en', 'I work as a nurse', 'what is my job', /nurse/],
    ['en', 'my dog is called Rex', 'who is Rex?', /your dog/],
    ['en', 'my dog is called Rex and i like tea', 'what do you know about me', /Rex.*tea/],
    ['de', 'Mein Hund heißt Rex.', 'Wie heißt mein Hund?', /Rex/],
    ['de', 'Ich habe eine Tochter namens Mia', 'wie heißt meine Tochter', /Mia/],
    ['de', 'Ich habe am 3. Mai Geburtstag', 'Wann habe ich Geburtstag?', /3\. Mai/],
    ['es', 'mi perro se llama Rex', '¿Cómo se llama mi perro?', /Rex/],
    ['es', 'soy alérgica a las nueces', '¿a qué soy alérgica?', /nueces/],
  ])('(%s) %s', (language, told, asked, expected) => {
    expect(says(language, asked, told, 'hello').answer).toMatch(expected);
    expect(says(language, asked, 'hello').answer).not.toMatch(expected);
  });

  it('what was lost in the past tense, and what was said last', () => {
    expect(says('en', "what was my dog's name", 'my dog is called Rex', 'my dog died').answer).toMatch(
      /was called Rex/,
    );
    expect(says('en', "what's my dog's name", 'my dog is called Rex', 'my dog is called Max').answer).toMatch(/Max/);
  });

  it.each([
    ['en', 'My cat does not eat.', 'Her name is Luna.', "what is my cat's name", /Luna/],
    ['de', 'Meine Katze frisst nicht.', 'Sie heißt Luna.', 'Wie heißt meine Katze?', /Luna/],
    ['es', 'mi gato no come', 'se llama Garfio', '¿cómo se llama mi gato?', /Garfio/],
    ['es', 'mi mama cocina bien', 'se llama Carmen', '¿cómo se llama mi mamá?', /Carmen/],
    ['es', '¿Cómo se llama mi novia?', 'Se llama Lucía', '¿Cómo se llama mi novia?', /Lucía/],
  ])('(%s) the name of whom they spoke of: %s', (language, spoken, named, asked, expected) => {
    expect(says(language, asked, spoken, named).answer).toMatch(expected);
  });

  it('what was said to another avatar', () => {
    const avatar = { name: 'Zed' };
    const said = [{ avatar_id: 'other', request: 'my dog is called Rex' }];
    const turn = {
      avatar,
      request: "what's my dog's name?",
      history: [],
      said,
    };
    expect(replyTo(turn, scripts.get('en')!, [], NOW).answer).toMatch(/Rex/);
  });
});

it('asks a quiz, judges the replies, and stops', () => {
  const avatar = { name: 'Zed' };
  const history: { request: string; answer: string }[] = [];
  const say = (request: string) => {
    const { answer } = replyTo({ avatar, request, history: [...history] }, scripts.get('en')!, [], NOW);
    history.push({ request, answer });
    return answer;
  };
  const { quiz } = scripts.get('en')!.knowledge!;
  const asked = (answer: string) => quiz.find(({ question }) => answer.endsWith(question))!;
  const first = asked(say('quiz'));
  const second = asked(say(`is it ${first.answers[0]}`));
  expect(history[1]!.answer).toMatch(/right/);
  expect(second).not.toBe(first);
  expect(say("i don't know")).toContain(second.answers[0]);
  expect(say('stop')).toMatch(/that was the quiz/);
});

it.each([
  ['wo wohne ich?', 'Kiel', ['ich wohne in Kiel']],
  ['woher komme ich', 'Graz', ['ich heiße Ida und komme aus Graz']],
  ['wie heißt mein Kater?', 'Moritz', ['mein Kater Moritz schnarcht neben mir']],
  ['wie heißt meine Katze', 'Minka', ['darf meine Katze Huhn fressen?', 'sie heißt Minka']],
  ['wie alt bin ich', '28', ['bin 28']],
])('remembers in German: %s', (ask, expected, told) => {
  expect(says('de', ask, ...told).answer).toContain(expected);
});

it.each(['mein Sohn spielt Fußball', 'ich bin müde', 'mein Zimmer Nummer acht'])('remembers nothing of: %s', (told) => {
  expect(says('de', 'wie heißt mein Sohn', told).answer).toContain('finde ich');
  expect(says('de', 'wie alt bin ich', told).answer).toContain('finde ich');
});

it.each([
  ['wieviel kilometer sind 12 meilen', 'convert'],
  ['was is 144 durch 12', 'calculate'],
])('understands colloquial German: %s', (request, id) => {
  expect(says('de', request).id).toBe(id);
});

it.each([
  ['es', 'y entre 4?', ['cuánto son 15 por 24?'], '90'],
  ['en', 'and divided by 4?', ['what is 15 times 24'], '90'],
  ['de', 'und durch 4?', ['15 mal 24'], '90'],
  ['en', 'plus 10', ['what is 15 times 24', 'and divided by 4?'], '100'],
  ['en', 'times 2', ['3 minus 8'], '-10'],
])('goes on with a calculation in %s: %s', (language, request, before, expected) => {
  expect(says(language, request, ...before).answer).toContain(`${expected}.`);
});

it.each([
  ['en', 'and why?'],
  ['es', '¿y por qué?'],
  ['de', 'und mal ehrlich?'],
])('does not go on with what is no calculation: %s: %s', (language, request) => {
  expect(says(language, request, '15 x 24').id).not.toBe('calculate');
});

it.each([
  ['de', 'mein alter Kater ist voriges Jahr gestorben'],
  ['es', 'quién me va a contratar a mi edad'],
])('is not asked for an age in %s: %s', (language, request) => {
  expect(says(language, request).id).not.toBe('recall_age');
});

it.each([
  ['de', 'weißt du mein Alter?', 'ich bin 52'],
  ['es', '¿recuerdas mi edad?', 'tengo 52 años'],
])('is asked for an age in %s: %s', (language, request, told) => {
  expect(says(language, request, told).answer).toContain('52');
});

it('remembers in Spanish what somebody does not like much', () => {
  expect(says('es', '¿qué no me gusta?', 'no me gusta mucho el tofu').answer).toContain('tofu');
});
