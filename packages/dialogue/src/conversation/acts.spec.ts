import { join } from 'node:path';
import { replyTo } from '../reply.js';
import { SHIPPED_SCRIPTS, readScript } from '../../test/scripts.js';

const NOW = Date.UTC(2026, 4, 2, 10, 30);

/** The last reply of a shipped script, `ada/en`, to some requests. */
function last(name: string, ...requests: string[]) {
  const [avatar = '', language = ''] = name.split('/');
  const script = readScript(join(SHIPPED_SCRIPTS, avatar)).get(language)!;
  const history: { request: string; answer: string }[] = [];
  let id = '';
  for (const request of requests) {
    const said = { avatar: { name: avatar }, request, history: [...history] };
    const reply = replyTo(said, script, [], NOW);
    history.push({ request, answer: reply.answer });
    id = reply.id;
  }
  return { id, answer: history.at(-1)!.answer };
}

/** What the last of some requests is answered: its identifier, or a part of its text. */
function expectLast([name, requests, expected]: readonly [string, readonly string[], string | RegExp]) {
  const { id, answer } = last(name, ...requests);
  if (typeof expected === 'string') expect({ id, answer }).toMatchObject({ id: expected });
  else expect(answer).toMatch(expected);
}

type Case = [string, string[], string | RegExp];

describe('a correction', () => {
  it.each<Case>([
    ['ada/en', ['how far is pluto?', 'not pluto, mars'], /^Mars .* from the Sun/],
    ['ada/de', ['wie weit ist pluto weg', 'nicht pluto, mars'], /^Der Mars .* von der Sonne/],
    ['ada/es', ['a qué distancia está plutón', 'plutón no, marte'], /^Marte .* del Sol/],
    ['ada/en', ['how far is pluto?', 'and how big is it', 'no i mean the moon'], /^The Moon is about 3/],
    ['ada/en', ['how far is pluto?', 'and how big is it', 'no i mean the sun', 'no, the moon'], /^The Moon is about 3/],
    ['ada/es', ['a qué distancia está plutón', 'y qué tamaño tiene', 'no, digo el sol'], 'space.size'],
    ['bruno/en', ['what comes after kneading?', 'no, I meant the pizza dough'], 'pizza_dough_rest'],
    ['bruno/de', ['was kommt nach dem kneten?', 'nein ich meinte den pizzateig'], 'pizza'],
    ['mira/en', ['my friend told everyone my secret', 'no it was me. i told HER secret'], 'told_a_secret'],
    [
      'mira/de',
      ['meine freundin hat mein geheimnis verraten', 'nein ich war das. ich hab IHR geheimnis verraten'],
      'told_a_secret',
    ],
    ['mira/es', ['una amiga ha contado mi secreto', 'no, fui yo. yo conté SU secreto'], 'told_a_secret'],
    ['mira/en', ['i have to apologise to my sister', 'not my sister, my brother'], 'corrected'],
    [
      'mira/de',
      ['ich muss mich bei meiner schwester entschuldigen', 'nein nicht meine schwester, mein bruder'],
      'corrected',
    ],
    ['mira/es', ['tengo que pedir perdón a mi hermana', 'no, a mi hermana no, a mi hermano'], 'corrected'],
    ['bruno/en', ['how do i bake bread', 'no, I meant the bread. What is Quux?'], 'unknown'],
  ])('is asked anew (%s): %j', (...one) => expectLast(one));

  it.each<Case>([
    ['mira/en', ['hello', 'no i meant something else'], 'i_meant_other'],
    ['mira/de', ['hallo', 'nein ich meinte was anderes'], 'i_meant_other'],
    ['mira/en', ['do you like cats?', 'no'], 'pets'],
  ])('is none (%s): %j', (...one) => expectLast(one));
});

describe('a greeting or goodbye', () => {
  it.each<Case>([
    ['mira/en', ['heyy'], 'greeting'],
    ['mira/es', ['holaa guapa'], 'greeting'],
    ['mira/de', ['hallöle'], 'greeting'],
    ['mira/en', ['thanks love'], 'thanks'],
    ['mira/en', ['The rain has stopped, we go for our walk. Goodbye, dear.'], 'bye'],
    ['mira/de', ['Der Regen hat aufgehört, wir gehen jetzt spazieren. Tschüss, meine Liebe.'], 'bye'],
    ['mira/es', ['Ha dejado de llover, nos vamos de paseo. Adiós, cariño.'], 'bye'],
    ['bruno/en', ['Then I shall try it tomorrow. Thank you, young man.'], 'thanks'],
    ['bruno/de', ['dann probier ich das morgen. vielen dank junger mann'], 'thanks'],
    ['bruno/es', ['pues mañana lo pruebo. muchas gracias, joven'], 'thanks'],
    ['bruno/en', ['thanks! how do i make pancakes'], 'pancakes'],
    ['bruno/en', ['my dog died yesterday. thank you'], 'pet_died'],
  ])('is one with something around it (%s): %j', (...one) => expectLast(one));
});

describe('a statement that asks whether it is right', () => {
  it.each<Case>([
    ['ada/en', ["penguins can't fly, can they"], 'penguins_fly'],
    ['ada/de', ['die sonne ist ein stern, oder?'], 'star_what'],
    ['ada/de', ['wale sind fische oder'], 'whales'],
    ['ada/es', ['las ballenas son peces, verdad?'], /no son peces/],
    ['bruno/en', ["raw chicken is dangerous, isn't it?"], 'raw_chicken'],
    ['mira/en', ["my new boss seems strict, doesn't he?"], /think so|see it/],
    ['mira/de', ['der chef wirkt streng, oder?'], /darauf|selbst/],
    ['mira/es', ['el jefe parece serio, verdad?'], /pensarlo|ves tú/],
  ])('is a question (%s): %j', (...one) => expectLast(one));
});

it.each<Case>([
  ['mira/en', ['im pam by the way', 'what is my name'], /Pam/],
  ['mira/en', ['im zorp btw', 'what is my name'], /Zorp/],
  ['mira/en', ['im tired btw'], 'told_tired'],
  ['mira/de', ['gut danke. ich bin übrigens der tjorben', 'wie heiße ich'], /Tjorben/],
  ['mira/es', ['yo bien. soy nerea por cierto', 'cómo me llamo'], /Nerea/],
])('a name is told in passing (%s): %j', (...one) => expectLast(one));

describe('a statement', () => {
  it.each<Case>([
    ['mira/en', ['I am happy for her but also a little sad'], 'mood_mixed'],
    ['mira/de', ['ich freu mich für sie, bin aber auch ein bisschen traurig'], 'mood_mixed'],
    ['mira/es', ['me alegro por ella pero también estoy un poco triste'], 'mood_mixed'],
    ['mira/en', ['lol i had my last one at midnight, bad idea then'], 'ack_light'],
    ['mira/de', ['haha ich hatte meinen letzten kaffee um mitternacht, blöde idee'], 'ack_light'],
    ['mira/es', ['jaja me tomé el último café a medianoche, mala idea entonces'], 'ack_light'],
    ['mira/en', ['its at a big insurance company, i come from a tiny office'], 'unknown'],
    ['mira/en', ['I think people stare at their phones too much'], 'ack_opinion'],
    ['mira/en', ['my new boss seems strict though'], 'ack_person_is'],
    ['mira/en', ['Then I shall try it tomorrow.'], /^(?!.*you shall)/],
    ['bruno/en', ["Hi Bruno! I've got guests on Sunday, six people"], 'told_guests'],
    ['mira/en', ['Good morning Mira. I tried to knit a scarf yesterday and gave up'], 'unknown'],
    ['mira/en', ['i come from leeds', 'where do i live?'], /leeds/i],
  ])('is acknowledged as what it is (%s): %j', (...one) => expectLast(one));
});

describe('a diet', () => {
  it.each<Case>([
    ['bruno/en', ['one of them is vegan', 'how do i make lasagna'], 'lasagne'],
    ['bruno/en', ["i'm vegan", 'how do i make lasagna'], 'unknown'],
    ['bruno/en', ['my wife and i are vegan', 'how do i make lasagna'], 'unknown'],
    ['bruno/de', ['meine freundin ist vegetarierin', 'was trinkt man dazu'], 'drink_with_meal'],
  ])('is kept only of the user (%s): %j', (...one) => expectLast(one));
});

describe('something funny', () => {
  it.each<Case>([
    ['ada/en', ['can you tell me something funny about the human body'], 'fact'],
    ['ada/de', ['kannst du mir was lustiges über den menschlichen körper erzählen'], 'fact'],
    ['ada/es', ['cuéntame algo gracioso sobre el cuerpo humano'], 'fact'],
    ['ada/en', ['tell me a joke about cats'], 'joke'],
  ])('is told of a topic (%s): %j', (...one) => expectLast(one));
});

describe('a guess', () => {
  it.each<Case>([
    ['ada/en', ['guess how old i am'], 'guess_about_me'],
    ['ada/en', ['guess how old i am', 'no, older'], /give up/],
    ['ada/de', ['rate mal wie alt ich bin', 'nein, älter'], /gebe auf/],
    ['ada/es', ['adivina cuántos años tengo', 'no, más'], /rindo/],
  ])('is none that is known (%s): %j', (...one) => expectLast(one));
});

it.each([
  ['ada/de', 'wie viele farben hat ein schiff', /funktioniert Schiffe|reicht Schiffe|funktionieren Schiff\?/],
  ['bruno/es', '¿y si la miel baila?', /es sano miel|queda duro miel/],
])('no question is offered in broken grammar (%s): %s', (name, request, broken) => {
  expect(last(name, 'x', request).answer).not.toMatch(broken);
});
