import { compileScript } from '../script/compile.js';
import { ScriptError, ScriptFile } from './script-file.js';
import { replyTo } from '../reply.js';

const shared = {
  rewrite: { "i'm": 'i am' },
  stops: ['and'],
  sets: { hello: ['hello', 'hi'], yes: ['^yes'], more: ['more'] },
};

function says(file: Partial<ScriptFile>, ...requests: string[]): string {
  const script = compileScript({ rules: [], fallback: ['?'], ...file }, { phrases: shared });
  const history = requests.slice(0, -1).map((request) => ({ request, answer: 'past' }));
  const avatar = { name: 'Zed' };
  return replyTo({ avatar, request: requests.at(-1)!, history }, script, [], 0).answer;
}
const matches = (phrase: string, request: string) =>
  says({ rules: [{ id: 'rule', match: [phrase], answers: ['yes'] }] }, request) === 'yes';

describe('a phrase', () => {
  it.each([
    ['how are you', 'So, HOW are, you?!', true],
    ['how are you', 'how you are', false],
    ['hat', 'that', false],
    ['tired*', 'I feel tiredness', true],
    ['what * music', 'what kind of modern music', true],
    ['what * music', 'what a b c d e music', false],
    ['(hi|hello) there( friend|)', 'hello there', true],
    ['^yes$', 'yes please', false],
    ['^yes', 'oh yes', false],
    ['i am here', 'I’m here', true],
    ['cafe creme', 'Café CRÈME', true],
    ['hey', 'heyyyy', true],
    ['你好', '那么你好吗', true],
    ['طقس', 'كيف الطَّقْسُ؟', true],
    ['कल', 'काल', false],
    ['ज़रूर', 'जरूर', true],
    ['straße', 'STRASSE', true],
  ])('%j in %j: %s', (phrase, request, expected) => {
    expect(matches(phrase, request)).toBe(expected);
  });

  it.each([
    ['my name is Anna Maria, hello', 'Anna Maria'],
    ['my name is Anna and so on', 'Anna'],
    ['my name is anna nice to meet you', 'Anna'],
    ["my name is D'Arcy-Jones", "D'Arcy-Jones"],
    [`my name is ${'x'.repeat(41)}`, undefined],
    ['my name is !!!', undefined],
  ])('catches a slot: %s', (request, name) => {
    const rule = { id: 'name', match: ['my name is {name}'], answers: ['Hi {Name}'] };
    expect(says({ rules: [rule] }, request)).toBe(name === undefined ? '?' : `Hi ${name}`);
  });
});

describe('the rule that answers', () => {
  const rules = (...list: [string, number, ...string[]][]) =>
    list.map(([id, priority, ...match]) => ({ id, priority, match, answers: [id] }));

  it('has the highest priority, then the most words, then comes first', () => {
    expect(says({ rules: rules(['a', 0, 'cat'], ['b', 0, 'my cat']) }, 'my cat')).toBe('b');
    expect(says({ rules: rules(['a', 1, 'cat'], ['b', 0, 'my cat']) }, 'my cat')).toBe('a');
    expect(says({ rules: rules(['a', 0, 'cat'], ['b', 0, 'dog']) }, 'dog and cat')).toBe('a');
  });

  const talk: Partial<ScriptFile> = {
    rules: [
      {
        id: 'joke',
        match: ['joke'],
        answers: ['knock'],
        then: [
          { match: ['@more'], again: true },
          { match: ['@yes'], answers: ['ha'], then: [{ match: ['@more'], again: true }] },
        ],
      },
      { id: 'what', match: ['ask me'], answers: ['what?'], then: [{ answers: ['I see'] }] },
      { id: 'yes', match: ['@yes'], answers: ['fine'] },
      { id: 'cat', match: ['cat', 'my old cat'], answers: ['meow'] },
    ],
  };
  it.each([
    [['yes'], 'fine'],
    [['joke', 'yes'], 'ha'],
    [['joke', 'more'], 'knock'],
    [['joke', 'yes', 'more'], 'knock'],
    [['joke', 'yes', 'yes'], 'fine'],
    [['ask me', 'a cat'], 'I see'],
    [['ask me', 'my old cat'], 'meow'],
    [['ask me', 'a cat', 'a cat'], 'meow'],
  ])('after %j is %s', (requests, answer) => {
    expect(says(talk, ...requests)).toBe(answer);
  });
});

it('answers with what is known, and says nothing twice while it has more to say', () => {
  const rules = [
    { id: 'name', match: ['my name is {name}'], answers: ['ok'] },
    { id: 'hello', answers: ['hello {name}, I am {avatar}', 'hello'] },
    { id: 'more', answers: ['past', 'new'] },
    { id: 'yes', answers: ['{last}', 'nothing'] },
  ];
  expect(says({ rules }, 'hi')).toBe('hello');
  expect(says({ rules }, 'my name is Bo', 'hi')).toBe('hello Bo, I am Zed');
  for (const request of ['more', 'more please', 'some more']) expect(says({ rules }, 'x', request)).toBe('new');
  expect(says({ rules }, 'x', 'yes')).toBe('past');
  expect(says({ rules }, 'yes')).toBe('nothing');
});

describe('a faulty script is refused, with the place:', () => {
  const rule = (fields: object) => ({ rules: [{ id: 'a', match: ['a'], answers: ['a'], ...fields }], fallback: ['?'] });
  it.each<[unknown, string]>([
    [null, 'file: must be an object'],
    [{ fallback: ['?'], rules: [] }, 'rules: must be an array of 1 to 500'],
    [{ ...rule({}), fallback: [] }, 'fallback: must be an array'],
    [{ ...rule({}), colour: 1 }, 'file.colour: is not known'],
    [rule({ answer: 'x' }), 'rules[0].answer: is not known'],
    [rule({ id: 'A b' }), 'rules[0].id: must be'],
    [rule({ priority: 101 }), 'rules[0].priority'],
    [rule({ answers: ['x'.repeat(2_001)] }), 'rules[0].answers'],
    [rule({ match: ['@nothing'] }), 'rules[0] (a).match: there is no set @nothing'],
    [rule({ match: ['{name} is me'] }), "rules[0] (a): '{name} is me' must start with a word"],
    [rule({ match: ['a *'] }), 'must not end with a gap'],
    [rule({ match: ['a * b * c * d * e'] }), 'too many gaps'],
    [rule({ match: ['(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)'] }), 'too many alternatives'],
    [rule({ answers: ['hello {name}'] }), 'rules[0] (a).answers: needs an answer without slots'],
    [rule({ then: [{ match: ['b'], again: true, answers: ['b'] }] }), 'rules[0].then[0].again'],
    [rule({ then: [{ match: ['b'] }] }), 'rules[0].then[0].answers'],
  ])('%#', (file, fault) => {
    let faults: readonly string[] = [];
    try {
      compileScript(file, { phrases: shared });
    } catch (error) {
      faults = (error as ScriptError).faults;
    }
    expect(faults.join('\n')).toContain(fault);
  });
});
