import { fitted, grammarOf, type HistoryItem, historyOf } from './llama.history.js';

it('makes one response of what a model says around its calls', () => {
  expect(
    historyOf([
      { role: 'system', content: 'S' },
      { role: 'user', content: 'U' },
      {
        role: 'assistant',
        content: 'Let me see.',
        tool_calls: [{ id: '1', function: { name: 'f', arguments: '{"a":1}' } }],
      },
      { role: 'tool', content: '{"b":2}', tool_call_id: '1' },
      { role: 'assistant', content: 'Found.' },
    ]),
  ).toEqual([
    { type: 'system', text: 'S' },
    { type: 'user', text: 'U' },
    {
      type: 'model',
      response: ['Let me see.', { type: 'functionCall', name: 'f', params: { a: 1 }, result: { b: 2 } }, 'Found.'],
    },
  ]);
});

describe('a history', () => {
  const size = (history: readonly HistoryItem[]) =>
    history.reduce((sum, item) => sum + (item.type === 'model' ? item.response.join('').length : item.text.length), 0);
  const model = (text: string): HistoryItem => ({ type: 'model', response: [text] });
  const user = (text: string): HistoryItem => ({ type: 'user', text });
  const system: HistoryItem = { type: 'system', text: 'x'.repeat(50) };
  const whole = [system, user('aaaa'), model('bbbb'), user('cc'), model('dd'), user('last')];

  it.each<[number, readonly HistoryItem[] | undefined]>([
    [66, whole],
    [65, [system, user('cc'), model('dd'), user('last')]],
    [57, [system, user('last')]],
    [30, [{ type: 'system', text: 'x'.repeat(26) }, user('last')]],
    [4, [user('last')]],
    [3, undefined],
  ])('of at most %i keeps the latest, and the request', (most, kept) => {
    expect(fitted(whole, most, size)).toEqual(kept);
  });
});

it('gives the grammar what it knows of a schema', () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'string', format: 'date', description: 'A day' }, b: { enum: [1, 2] }, c: { anyOf: [] } },
    required: ['a'],
  };
  expect(grammarOf(schema)).toEqual({
    type: 'object',
    properties: { a: { type: 'string', description: 'A day' }, b: { enum: [1, 2] }, c: { type: 'string' } },
  });
});
