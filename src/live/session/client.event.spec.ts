import { givenItem, parseEvent } from './client.event.js';

const content = [{ type: 'input_text', text: 'one' }];

it('an item has a role, the text of its parts, and optionally an identifier', () => {
  expect(givenItem({ role: 'user', content })).toEqual({ role: 'user', text: 'one' });
  const parts = [...content, { type: 'input_image' }, null, { type: 'input_audio', transcript: ' two' }];
  expect(givenItem({ type: 'message', id: 'a', role: 'system', content: parts })).toEqual({
    id: 'a',
    role: 'system',
    text: 'one two',
  });
});

it.each<[string, unknown]>([
  ['item.role', undefined],
  ['item.role', 'one'],
  ['item.type', { type: 'function_call', role: 'user', content }],
  ['item.role', { role: 'tool', content }],
  ...['', 'x'.repeat(129), 7].map((id): [string, unknown] => ['item.id', { id, role: 'user', content }]),
  ...['one', [], [7], [{ text: '' }], [{ text: 'x'.repeat(8001) }], [{ text: 7 }]].map((bad): [string, unknown] => [
    'item.content',
    { role: 'assistant', content: bad },
  ]),
])('an error names the invalid field %s: %j', (name, item) => {
  expect(() => givenItem(item)).toThrow(name);
});

it.each(['', '{', '7', 'null', '[]'])('%j is not an event', (message) => {
  expect(() => parseEvent(message)).toThrow('JSON');
});
