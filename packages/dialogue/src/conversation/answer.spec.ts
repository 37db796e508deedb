import type { Intent } from '../format/script-file.js';
import { replyTo } from '../reply.js';
import { LanguageBook } from '../script/language-book.js';
import { compileScript } from '../script/script-reader.js';
import { linesOf, NOW, talk } from '../../test/scripts.js';

const words = {
  common: ['is', 'are', 'how', 'what', 'do', 'can', 'to', 'of', 'about', 'it', 'in'],
  persons: ['i', 'you', 'my', 'your'],
  filler: ['the', 'a', 'please', 'really'],
  denials: ['not', 'no'],
  asking: ['how', 'what', 'do', 'are', 'can', 'is'],
  read: { "i'm": 'i am', "don't": 'do not' },
};
const book = new LanguageBook('en', { care: () => ({ intents: [], words }) });
const INTENTS: readonly Intent[] = [
  { id: 'greeting', say: ['hello', 'good morning'], answer: ['Hello, I am {avatar}.'], aside: true },
  { id: 'thanks', say: ['thanks', 'thank you'], answer: ['Any time.'], aside: true },
  { id: 'bye', say: ['bye', 'see you later'], answer: ['Bye, {Name}.', 'Bye.'], aside: true },
  { id: 'human', say: ['are you human', 'are you a robot', 'do you have feelings'], answer: ['A program.'] },
  { id: 'happy', say: ['i am happy', 'i feel happy today'], answer: ['How nice!'] },
  {
    id: 'food',
    say: ['what is your favourite food'],
    answer: ['None. And yours?'],
    then: [{ match: ['(not|nothing)'], answer: ['Not hungry?'] }, { answer: ['Sounds good.'] }],
  },
  {
    id: 'joke',
    say: ['tell me a joke', 'joke'],
    answer: ['One.', 'Two.', 'Three.'],
    then: [{ say: ['another one', '@joke'], again: true }],
  },
  { id: 'tell_name', match: ['my name is {name}', 'i am {first_name:1}'], answer: ['Hi, {Name}.'] },
  { id: 'ask_name', say: ['what is my name'], answer: ['{Name}.', 'You did not say.'] },
  { id: 'repeat', say: ['say that again'], answer: ['{last}', 'Nothing yet.'] },
  {
    id: 'time',
    say: ['what time is it'],
    match: ['time is it in {place}'],
    answer: ['In {place}: {time_there}.', 'Here: {time}.'],
  },
  { id: 'topics', answer: ['tea', 'cats', 'trains', 'rain'] },
  { id: 'unknown', answer: ['No idea. Try {topics}.'] },
  { id: 'heard', answer: ['I see.'] },
  { id: 'greeted', answer: ['Hello! {text}'] },
  { id: 'no_result', answer: ['No result.'] },
];
const script = compileScript(linesOf(INTENTS), book);
const ids = (...requests: string[]) => talk(script, requests).map(({ id }) => id);
const last = (...requests: string[]) => talk(script, requests).at(-1)!;

it.each([
  ['HELLO zed!!', 'greeting'],
  ['are you a human?', 'human'],
  ['are you humen', 'human'],
  ["I'm really happy", 'happy'],
  ["I'm not happy", 'heard'],
  ['are you a good cook?', 'unknown'],
  ['what is your favourite colour', 'unknown'],
  ['what is my favourite food', 'food'],
  ['is it', 'unknown'],
  ['what is it', 'unknown'],
  ['', 'unknown'],
  ['😀', 'unknown'],
])('answers only what is nearly an example: %s', (request, id) => {
  expect(ids(request)).toEqual([id]);
});

it.each([
  ['Hello! Are you human?', 'human'],
  ['Hi. I was at the lake today. Are you human?', 'human'],
  ['Are you human? I was at the lake today.', 'human'],
  ['Thanks! How do trains stop?', 'unknown'],
  ["I'm happy. How do trains stop?", 'unknown'],
  ['The doorbell rings, bye!', 'bye'],
  ['bye, the doorbell rings', 'bye'],
])('of several sentences it answers the one that asks: %s', (request, id) => {
  expect(ids(request)).toEqual([id]);
});

it('says honestly that it does not know, with suggestions, and greets who greets', () => {
  expect(last('how do trains stop?').answer).toMatch(/^No idea\. Try \w+, \w+,? or \w+\.$/);
  expect(last('hello zed, how do trains stop?').answer).toMatch(/^Hello! No idea/);
  expect(last('my robot was late')).toMatchObject({ answer: 'I see.', kind: 'unknown' });
});

it('goes on from its last answer', () => {
  expect(last('what is your favourite food', 'lentil soup').answer).toBe('Sounds good.');
  expect(last('what is your favourite food', 'nothing').answer).toBe('Not hungry?');
  expect(last('what is your favourite food', 'can you cook soup?').id).toBe('unknown');
  expect(last('what is your favourite food', 'are you human').id).toBe('human');
  const jokes = talk(script, ['a joke please', 'another one', 'joke']).map(({ answer }) => answer);
  expect(jokes.toSorted()).toEqual(['One.', 'Three.', 'Two.']);
});

it('remembers a name as it was written', () => {
  expect(last('my name is Zoë-Anne, hello', 'what is my name?').answer).toBe('Zoë-Anne.');
  expect(last("hi i'm tom", 'what is my name?').answer).toBe('Tom.');
  expect(last("i'm tired", 'what is my name?').answer).toBe('You did not say.');
  const said = [{ request: 'my name is Ann' }];
  const turn = { avatar: { name: 'Zed' }, request: 'what is my name?', history: [], said };
  expect(replyTo(turn, script, [], NOW).answer).toBe('Ann.');
});

it('tells the time, of a place if it is known, and calculates', () => {
  expect(last('what time is it in Tokyo?').answer).toBe('In Tokyo: 19:30.');
  expect(last('what time is it in Nowhere?').answer).toMatch(/^Here: /);
  expect(last('what is twelve times 7').answer).toBe('12 × 7 = 84');
  expect(last('5/0')).toMatchObject({ answer: 'No result.', kind: 'answered' });
  expect(last('I have 2 cats and 3 dogs').id).toBe('heard');
});

it('repeats its last answer', () => {
  expect(last('are you human', 'say that again').answer).toBe('A program.');
  expect(last('say that again').answer).toBe('Nothing yet.');
});

it.each(['__proto__ {topics} $&', 'my name is '.repeat(800), 'x'.repeat(8_000), 'is is is '.repeat(900), '\ud83d'])(
  'has an answer to %j',
  (request) => {
    expect(last(request.slice(0, 8_000)).answer.length).toBeGreaterThan(3);
  },
);
