import { RETRACT } from './avatar-engine.js';
import { ReasoningFilter } from './reasoning.js';

/** What remains of a text that arrives in chunks of some length. */
function answerOf(text: string, length: number, { holds = false, isCut = false } = {}): string {
  const filter = new ReasoningFilter(holds);
  let answer = '';
  const take = (pieces: ReturnType<ReasoningFilter['push']>) => {
    for (const piece of pieces) answer = piece === RETRACT ? '' : answer + piece;
  };
  for (let at = 0; at < text.length; at += length) take(filter.push(text.slice(at, at + length)));
  take(filter.end(isCut));
  return answer;
}

const LENGTHS = [1, 2, 3, 5, 8, 1000];
const HARMONY =
  '<|channel|>analysis<|message|>They greet. <b>Hm.<|end|><|start|>assistant<|channel|>commentary to=functions.x ' +
  '<|constrain|>json<|message|>{"a":1}<|call|><|start|>assistant<|channel|>final<|message|>Hello <3 there.<|return|>';

describe('ReasoningFilter', () => {
  it.each([
    ['<think>They greet me.</think>Hello', 'Hello'],
    ['<thinking>They greet me.</thinking>\n\nHello', 'Hello'],
    [' \n<think>\n\n</think>\n\nHello there', 'Hello there'],
    ['<THINK>x</THINK> Hello', 'Hello'],
    ['<think>a</think>\n<think>b</think> Hello', 'Hello'],
    ['<think>the tag `</think>` ends it</think>Hello', 'Hello'],
    ['They greet me.\n</think>\n\nHello', 'Hello'],
    ['They greet me. </thinking>Hello', 'Hello'],
    ['</think>Hello', 'Hello'],
    ['It`s odd\nYes.</think>Hello', 'Hello'],
    ['a</think>b <think> and </think> c', 'b <think> and </think> c'],
    ['<think><think>a</think></think>Hello', 'Hello'],
    ['<think>a <think>b</think> c</think>Hello', 'Hello'],
    ['<think>a <think>b <think>c</think> d</think> e</thinking> Hello', 'Hello'],
    ['<think>a <thinking>b</thinking> `</think>` c</think>\n```\n</think>\n```\n', '```\n</think>\n```\n'],
    ['<think>They ask about <think>.</think>Hello there', 'Hello there'],
    ['<think>They ask about <think>.</think>Hello there</think>\n', 'Hello there'],
    ['<think>They ask about <think>.</think>The tags <think> and </think>', 'The tags <think> and </think>'],
    ['<think>They ask about `<think>`.</think>Hello </think> there', 'Hello </think> there'],
    ['<think>a</think>Hello there</think>', 'Hello there</think>'],
    [HARMONY, 'Hello <3 there.'],
    ['<|start|>assistant' + HARMONY, 'Hello <3 there.'],
    ['<|channel|>analysis<|message|>Hm.<|end|>Hello', 'Hello'],
    ['<|channel|>final<|message|>Hello', 'Hello'],
  ])('removes the reasoning of %j', (text, answer) => {
    for (const length of LENGTHS) expect([length, answerOf(text, length)]).toEqual([length, answer]);
  });

  it.each([
    'Hello <b>there</b>',
    '  Hello',
    '<thin',
    '<p>Hello</p>',
    'The tags <think> and </think> enclose it.',
    'It ends with `</think>`, as you see.',
    'It ends with ``a`</think>``.',
    'So:\n```xml\n<think>\n</think>\n```\nThat is all.',
    'So:\n~~~~\n```\n</think>\n~~~~\nThat is all.',
    'In gpt-oss, <|channel|>analysis<|message|> begins it.',
    'a < b, </thin',
    '',
  ])('passes on %j', (text) => {
    for (const length of LENGTHS) expect([length, answerOf(text, length)]).toEqual([length, text]);
  });

  it.each([
    '<think>They greet me. I should',
    '<think>They greet me.</think> \n',
    'They greet me.</think>',
    '<|channel|>analysis<|message|>They greet me.<|end|>',
    '<|channel|>analysis<|message|>They greet',
    '<|channel|>comm',
  ])('finds no answer in %j', (text) => {
    for (const length of LENGTHS) expect([length, answerOf(text, length).trim()]).toEqual([length, '']);
  });

  it('passes on text at once, except for what may be a tag', () => {
    const filter = new ReasoningFilter();
    expect(['Hello ', 'the<', 're', ' a</th', 'ing'].map((piece) => filter.push(piece).join('|'))).toEqual([
      'Hello ',
      'the',
      '<re',
      ' a',
      '</thing',
    ]);
  });

  it('retracts what was streamed before a lone end of reasoning', () => {
    const filter = new ReasoningFilter();
    expect(filter.push('They greet me.</think>Hel')).toEqual([RETRACT, 'Hel']);
    expect(new ReasoningFilter().push('They greet me.')).toEqual(['They greet me.']);
  });

  it('holds text back where the engine says so', () => {
    const filter = new ReasoningFilter(true);
    expect(filter.push('They greet me.')).toEqual([]);
    expect(filter.push('</think>\nHello')).toEqual(['Hello']);
    expect(filter.push(' there')).toEqual([' there']);
    for (const length of LENGTHS) {
      expect(answerOf('Hello', length, { holds: true })).toBe('Hello');
      expect(answerOf('They greet', length, { holds: true, isCut: true })).toBe('');
      expect(answerOf('x'.repeat(200_000), 1000, { holds: true })).toBe('');
      expect(answerOf(`${'x'.repeat(200_000)}</think>Hello`, 1000, { holds: true })).toBe('Hello');
    }
  });

  it('takes time linear in the length of a text', () => {
    for (const part of ['<', '`', '</think', '<think>', '\n', '<|', ' '])
      expect(answerOf(`a${part.repeat(50_000)}`, 7).length).toBeGreaterThan(10);
  });
});
