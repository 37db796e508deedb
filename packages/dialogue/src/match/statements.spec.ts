import { filesFor, talkTo } from '../../test/scripts.js';
import { compileScript } from '../script/compile.js';
import { statementOverlaps } from '../script/overlaps.js';

const shared = {
  statements: [
    {
      id: 'told_left_out',
      examples: ['my friends made a group chat without me', 'they left me out', 'nobody invited me to the party'],
      answers: ['Being left out hurts.'],
      then: [{ match: ['why would they do that'], answers: ['Often nobody thought of it.'] }],
    },
    {
      id: 'told_picky_child',
      examples: ['my son will not eat vegetables', 'the little one eats nothing green', 'my daughter is a picky eater'],
      answers: ['Children can be stubborn at the table.'],
    },
    {
      id: 'told_oven',
      examples: ['my oven never works', 'the thing never rises in the oven'],
      answers: ['Ovens can be moody.'],
    },
    {
      id: 'told_search',
      examples: ['i was looking the whole day', 'i looked all day'],
      answers: ['Searching is tiring.'],
    },
    {
      id: 'told_tent',
      examples: ['i am not happy in a tent', 'tents are uncomfortable'],
      answers: ['Tents are not for everybody.'],
    },
    { id: 'told_alone', examples: ['i live without friends', 'thanks for an idea i had'], answers: ['That is quiet.'] },
  ],
};
const script = compileScript(
  {
    rules: [
      { id: 'tell_name', match: ['i am called {name}'], answers: ['Hello {Name}!'] },
      { id: 'tell_place', match: ['i live near {place:4}', 'i live without {place:4}'], answers: ['Noted: {place}.'] },
      { id: 'thanks', match: ['thanks for the idea'], answers: ['You are welcome.'] },
    ],
    fallback: ['Pardon?'],
    unknown: ['I do not know.'],
    heard: ['I did not understand that, but I listen.'],
    intents: [
      {
        id: 'flat_bread',
        examples: ['my bread is flat and never rises', 'bread never rises'],
        answers: ['Give it more time.'],
      },
      { id: 'vegetables', examples: ['how do i cook vegetables', 'cooking green vegetables'], answers: ['Briefly.'] },
    ],
    acknowledge: [{ id: 'ack_son', match: ['^my son'], priority: 12, answers: ['And how is he?'] }],
  },
  { language: 'en', phrases: filesFor('en').phrases, shared },
);

const answersTo = (...requests: string[]) => talkTo(script, requests).map(({ answer }) => answer);

it('reacts to what is told by a statement like it, in other words and with a typing error', () => {
  expect(answersTo('my freinds have a new group chat without me')).toEqual(['Being left out hurts.']);
  expect(answersTo('hello, i am called Ellie. they left me out again')).toEqual(['Being left out hurts.']);
});

it('prefers the reaction to a phrase that only tells the kind, and an intent that fits better to both', () => {
  expect(answersTo('my son just will not eat any vegetables')).toEqual(['Children can be stubborn at the table.']);
  expect(answersTo('my son lives in a tent')).toEqual(['And how is he?']);
  expect(answersTo('how do i cook vegetables?')).toEqual(['Briefly.']);
  expect(answersTo('the bread thing never rises in the oven')).toEqual(['Give it more time.']);
});

it('reacts to no thanks, and to nothing that is kept, unless that is a statement nearly word for word', () => {
  expect(answersTo('thanks for the idea')).toEqual(['You are welcome.']);
  expect(answersTo('i live near Porto without many friends')).toEqual(['Noted: Porto without many friends.']);
  expect(answersTo('i am called Ellie and nobody invited me to the party')).toEqual(['Being left out hurts.']);
  expect(answersTo('i live without friends')).toEqual(['That is quiet.']);
});

it('takes no word that the avatar knows for a typing error of another', () => {
  expect(answersTo('i was cooking the whole day')).toEqual(['I did not understand that, but I listen.']);
  expect(answersTo('i was looking the whole day')).toEqual(['Searching is tiring.']);
});

it('reacts to what it knows before a mood that is denied', () => {
  expect(answersTo('i am not happy in the tent')).toEqual(['Tents are not for everybody.']);
});

it('does not react to a question, nor to a statement of another kind', () => {
  expect(answersTo('did nobody invite me to the party?')).toEqual(['I do not know.']);
  expect(answersTo('the train was late because of some leaves')).toEqual(['I did not understand that, but I listen.']);
});

it('follows up what it reacted to', () => {
  expect(answersTo('they left me out', 'why would they do that')).toEqual([
    'Being left out hurts.',
    'Often nobody thought of it.',
  ]);
});

it('tells of examples that fit two reactions, and of what is no reaction', () => {
  const [first, second] = shared.statements;
  const doubled = { statements: [first!, { ...second!, examples: [...second!.examples, 'me they left out'] }] };
  const files = { language: 'en', phrases: filesFor('en').phrases, shared: doubled };
  const compiled = compileScript(
    { rules: [{ id: 'greeting', answers: ['Hi.'] }], fallback: ['Pardon?'], shared: true },
    {
      ...files,
    },
  );
  expect(statementOverlaps(doubled, compiled)).toEqual([
    "statements (told_left_out): 'they left me out' fits told_picky_child as well",
    "statements (told_picky_child): 'me they left out' fits told_left_out as well",
  ]);
  const faulty = { statements: [{ id: 'told_left_out', examples: ['one'], answers: [] }] };
  expect(() =>
    compileScript({ rules: [{ id: 'greeting', answers: ['Hi.'] }], fallback: ['Pardon?'] }, { shared: faulty }),
  ).toThrow(/statements\[0\]\.examples: must be an array of 2 to 60/);
});

it('makes little of words that no statement has', () => {
  const others = Array.from({ length: 80 }, (_, index) => {
    const thing = String.fromCharCode(97 + (index % 26), 97 + Math.floor(index / 26)).repeat(3);
    return {
      id: `told_${index}`,
      examples: [`my ${thing} is old`, `a ${thing} for me`],
      answers: [`So it is, ${index}.`],
    };
  });
  const compiled = compileScript(
    { rules: [{ id: 'greeting', answers: ['Hi.'] }], fallback: ['Pardon?'], unknown: ['No.'] },
    { language: 'en', phrases: filesFor('en').phrases, shared: { statements: [...shared.statements, ...others] } },
  );
  const request = 'nobody invited me to the summer party of the sailing club at the harbour restaurant';
  expect(talkTo(compiled, [request])[0]!.id).toBe('told_left_out');
});
