import { asking, scriptsOf } from '../../test/scripts.js';

const file = {
  rules: [
    { id: 'tell_name', match: ['@tell_name'], answers: ['Hello {Name}', 'Hello'] },
    { id: 'ask_my_name', match: ['@ask_my_name'], answers: ['It is {Name}.', 'Who?'] },
    { id: 'repeat', match: ['@repeat'], answers: ['Again.'] },
  ],
  intents: [
    { id: 'moon', examples: ['when is the next full moon', 'full moon'], answers: ['On Friday.'] },
    { id: 'pancakes', examples: ['pancakes', 'how do i make pancakes'], answers: ['Flour.'] },
  ],
  topics: ['tea', 'bread', 'maps'],
  unknown: ['No. But {topics}?'],
  fallback: ['?'],
};
const says = asking(scriptsOf(file));

it.each([
  ['en', "what's my name", 'Ben', 'hello zed i am ben and i am nine'],
  ['en', "what's my name", 'Tom', 'hey there its tom here'],
  ['en', 'how old am i', '7', 'hi zed i am 7'],
  ['en', 'how old am i', 'nine', 'hello zed i am ben and i am nine'],
  ['en', "what's my teacher called", 'harris', 'got a test, my teacher is mr harris'],
  ['de', 'wie heiße ich', 'Jonas', 'hallo ich bin jonas und ich bin 10'],
  ['de', 'wie alt bin ich', '10', 'hallo ich bin jonas und ich bin 10'],
  ['de', 'wie heiß ich', 'Jonas', 'hallo, jonas hier, 10 jahre'],
  ['de', 'wie heiße ich', 'Tim', 'ich heiß tim'],
  ['de', 'wie heiße ich', 'Marie', 'hi ich bins, die marie'],
  ['es', 'cómo me llamo', 'Sofi', 'hola mira soy sofi'],
  ['es', 'cómo me llamo', 'Zulema', 'hola soy zulema'],
  ['es', 'cómo me llamo', 'Carlos', 'buenas, aquí carlos'],
  ['de', 'wie heiße ich', 'Peter', 'hallo, ich bin peter, 72, witwer'],
  ['es', '¿y mi nombre?', 'Paco', 'Muy buenas, soy Paco, mecánico de coches'],
])('knows in %s: "%s" is %s', (language, question, expected, before) => {
  expect(says(language, question, before).answer).toContain(expected);
});

it.each([
  ['en', "what's my name", 'hi i am seven'],
  ['en', "what's my name", 'hi i am exhausted'],
  ['de', 'wie heiße ich', 'hallo ich bin neugierig'],
  ['de', 'wie heiße ich', 'Ich bin Trinkerin'],
  ['es', 'cómo me llamo', 'hola soy venezolana'],
])('takes no other word for a name (%s): %s %s', (language, question, before) => {
  expect(says(language, question, before).answer).not.toMatch(/^It is/);
});

it.each([
  ['en', 'what do i do with his things', 'my dog died yesterday'],
  ['en', 'where do i start', 'i want to tidy up'],
  ['en', 'how many hours do i need', 'i have an exam on friday'],
  ['de', 'was mache ich mit seinen sachen', 'mein hund ist gestern gestorben'],
  ['de', 'wie viele stunden brauche ich', 'ich habe am freitag prüfung'],
  ['de', 'was? das ist nicht gut!! die lachen mich aus', 'ich hab in der schule was erzählt und die lachen mich aus'],
  ['es', 'por dónde empiezo', 'quiero ordenar la casa'],
  ['es', 'cuántas horas necesito', 'el viernes tengo un examen'],
])('asks for advice, and for nothing that was told (%s): %s', (language, question, before) => {
  expect(says(language, question, before).id).not.toMatch(/^recollect|^recall/);
});

it.each([
  ['en', 'when is the next full moon', 'moon', 'my exam is on friday'],
  ['en', "i'm ten and i want to make pancakes", 'pancakes', 'hello'],
  ['es', 'qué hora es', 'clock', 'el 21% de 50'],
  ['es', 'de dónde soy', 'recollect', 'soy de un pueblo de teruel', 'no tengo amigos en madrid'],
])('answers what is asked (%s): %s with %s', (language, question, id, ...before) => {
  const reply = says(language, question, ...before);
  expect(reply.id).toBe(id);
  expect(reply.answer).not.toContain('madrid');
});
