import { givenItem, parseEvent } from './client.event.js';

const content = [{ type: 'input_text', text: 'one' }];

it('an item has a role, the text of its parts, and optionally an identifier', () => {
  expect(givenItem({ role: 'user', content })).toEqual({ role: 'user', text: 'one' });
  const parts = [...content, null, { type: 'input_audio', transcript: ' two' }];
  for (const role of ['system', 'developer'])
    expect(givenItem({ type: 'message', id: 'a', role, content: parts })).toEqual({ id: 'a', role, text: 'one two' });
  const audio = [{ type: 'input_audio', audio: 'AAAA' }];
  expect(givenItem({ role: 'user', content: audio })).toEqual({ role: 'user', text: '', audio: Buffer.alloc(3) });
});

it('an item may be a function call or its result', () => {
  const call = { type: 'function_call', name: 'f', arguments: '{}', call_id: 'c' };
  expect(givenItem(call)).toEqual({ role: 'assistant', text: '{}', call: { name: 'f', call_id: 'c' } });
  expect(givenItem({ ...call, call_id: null }).call!.call_id).toMatch(/^call_/);
  const result = { id: 'a', type: 'function_call_output', call_id: 'c', output: '7' };
  expect(givenItem(result)).toEqual({ id: 'a', role: 'tool', text: '7', result_of: 'c' });
  expect(() => givenItem({ ...result, output: 'x'.repeat(32_001) })).toThrow('item.output');
});

it('images are not taken', () => {
  expect(() => givenItem({ role: 'user', content: [...content, { type: 'input_image' }] })).toThrow('images');
});

it.each<[string, unknown]>([
  ['item.role', undefined],
  ['item', 'one'],
  ['item.type', { type: 'mcp_call', role: 'user', content }],
  ['item.role', { role: 'tool', content }],
  ...['', 'x'.repeat(129), 7].map((id): [string, unknown] => ['item.id', { id, role: 'user', content }]),
  ...[
    'one',
    [],
    [7],
    [{ text: '' }],
    [{ text: 'x'.repeat(32_001) }],
    [{ text: 7 }],
    [{ audio: '%' }],
    [{ audio: '' }],
  ].map((bad): [string, unknown] => ['item.content', { role: 'assistant', content: bad }]),
])('an error names the invalid field %s: %j', (name, item) => {
  expect(() => givenItem(item)).toThrow(name);
});

it.each(['', '{', '7', 'null', '[]'])('%j is not an event', (message) => {
  expect(() => parseEvent(message)).toThrow('JSON');
});
