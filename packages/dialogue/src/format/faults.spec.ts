import { parseScript } from './faults.js';
import { ScriptError } from './script-file.js';
import { scriptAlone } from '../../test/scripts.js';

const GOOD = '{"id":"joke","say":["joke"],"answer":["One."]}';
const faultsOf = (make: () => unknown): readonly string[] => {
  try {
    make();
  } catch (error) {
    return (error as ScriptError).faults;
  }
  return [];
};

it('reads one intent a line, and leaves out empty lines and comments', () => {
  const { intents, words } = parseScript(`\ufeff// Jokes\r\n\r\n${GOOD}\n{"words":{"common":["the"]}}\n`);
  expect(intents.map(({ id }) => id)).toEqual(['joke']);
  expect(words).toEqual({ common: ['the'] });
});

it.each([
  ['{"id":"joke",', 'line 2: is not a JSON object on one line'],
  ['["joke"]', 'line 2: is not a JSON object on one line'],
  [GOOD, 'line 2: id: joke is used twice'],
  ['{"id":"Joke","answer":["One."]}', 'line 2: id: must be a short lower-case name'],
  ['{"id":"a"}', 'line 2: needs an answer, or examples, or patterns'],
  ['{"id":"a","answer":"One."}', expect.stringMatching(/^line 2: answer: must be an array of 1 to 100 texts/)],
  ['{"id":"a","say":[""],"answer":["One."]}', expect.stringMatching(/^line 2: say: must be/)],
  ['{"id":"a","answers":["One."],"say":["a"]}', 'line 2: answers: is not known here'],
  ['{"id":"a","answer":["One."],"priority":101}', 'line 2: priority: must be a number from -100 to 100'],
  ['{"id":"a","answer":["One."],"aside":false}', 'line 2: aside: must be true'],
  ['{"id":"a","answer":["One."],"then":[{"say":["b"]}]}', 'line 2: then[0]: needs either an answer or "again": true'],
  ['{"words":{"read":{"u":1}}}', 'line 2: words.read: must give a text for each spelling'],
])('names the line of a fault: %s', (line, fault) => {
  expect(faultsOf(() => parseScript(`${GOOD}\n${line}`))).toEqual([fault]);
});

it('bounds the number of lines', () => {
  expect(faultsOf(() => parseScript('\n'.repeat(2_000)))).toEqual(['has more than 2000 lines']);
});

it.each([
  [{ id: 'a', match: ['* a'], answer: ['One.'] }, 'a: must start with a word'],
  [{ id: 'a', match: ['a *'], answer: ['One.'] }, 'a: must not end with a gap'],
  [{ id: 'a', match: ['a * b * c * d * e'], answer: ['One.'] }, 'a: is too long, or has too many gaps and slots'],
  [{ id: 'a', match: ['@b'], answer: ['One.'] }, 'a: there is no intent b with patterns'],
  [{ id: 'a', say: ['@b'], answer: ['One.'] }, 'a: there is no intent b with examples'],
  [{ id: 'a', say: ['a'], answer: ['{name}.'] }, 'a: needs an answer without slots that may be unknown'],
  [
    { id: 'a', say: ['a'], answer: ['A.'], then: [{ answer: ['{x}'] }] },
    'a: then[0]: needs an answer without slots that may be unknown',
  ],
])('tells what is wrong with %j', (intent, fault) => {
  expect(faultsOf(() => scriptAlone([intent]))).toEqual([fault]);
});
