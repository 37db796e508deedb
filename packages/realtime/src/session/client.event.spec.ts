import { givenItem as parseItem, parseEvent } from './client.event.js';
import { parseResponseRequest } from '../response/response.request.js';

const givenItem = (item: unknown, seesImages = false) => parseItem(item, seesImages);

const content = [{ type: 'input_text', text: 'one' }];

it('an item has a role, the text of its parts, and optionally an identifier', () => {
  expect(givenItem({ role: 'user', content })).toEqual({ role: 'user', text: 'one' });
  const parts = [...content, null, { type: 'input_audio', transcript: ' two' }];
  for (const role of ['system', 'developer'])
    expect(givenItem({ type: 'message', id: 'a', role, content: parts })).toEqual({ id: 'a', role, text: 'one two' });
  const audio = [{ type: 'input_audio', audio: 'AAAA' }];
  expect(givenItem({ role: 'user', content: audio })).toEqual({ role: 'user', text: '', audio: Buffer.alloc(3) });
});

it('half a character in a text is replaced, which a model may not be able to read', () => {
  expect(givenItem({ role: 'user', content: [{ type: 'input_text', text: 'cut \ud83d' }] }).text).toBe('cut \ufffd');
});

it('an item may be a function call or its result', () => {
  const call = { type: 'function_call', name: 'f', arguments: '{}', call_id: 'c' };
  expect(givenItem(call)).toEqual({ role: 'assistant', text: '{}', call: { name: 'f', call_id: 'c' } });
  expect(givenItem({ ...call, call_id: null }).call!.call_id).toMatch(/^call_/);
  const result = { id: 'a', type: 'function_call_output', call_id: 'c', output: '7' };
  expect(givenItem(result)).toEqual({ id: 'a', role: 'tool', text: '7', result_of: 'c' });
  expect(() => givenItem({ ...result, output: 'x'.repeat(32_001) })).toThrow('item.output');
});

it('an item of the user has pictures, if the model can see them', () => {
  const image = { type: 'input_image', image_url: 'data:image/png;base64,AAAA' };
  const images = [image.image_url];
  expect(givenItem({ role: 'user', content: [...content, image] }, true)).toEqual({
    role: 'user',
    text: 'one',
    images,
  });
  expect(givenItem({ role: 'user', content: [image] }, true)).toEqual({ role: 'user', text: '🖼️', images });
  for (const [role, seesImages] of [
    ['user', false],
    ['assistant', true],
    ['system', true],
  ] as const)
    expect(() => givenItem({ role, content: [...content, image] }, seesImages)).toThrow('images');
  for (const image_url of [
    undefined,
    7,
    '',
    'https://example.org/a.png',
    'data:image/svg+xml;base64,AAAA',
    'data:image/png,A',
  ])
    expect(() => givenItem({ role: 'user', content: [{ ...image, image_url }] }, true)).toThrow('image_url');
  expect(() => givenItem({ role: 'user', content: Array.from({ length: 5 }, () => image) }, true)).toThrow(
    '4 pictures',
  );
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

it('texts are counted in characters', () => {
  const text = '😀'.repeat(32_000);
  expect(givenItem({ role: 'user', content: [{ text }] })).toMatchObject({ text });
  const metadata = { mood: '😀'.repeat(512) };
  const request = (value: object) =>
    parseResponseRequest({ response: { metadata: value } }, () => undefined, false, false);
  expect(request(metadata)).toMatchObject({ metadata });
  expect(() => request({ mood: '😀'.repeat(513) })).toThrow('response.metadata');
});

it.each(['', '{', '7', 'null', '[]'])('%j is not an event', (message) => {
  expect(() => parseEvent(message)).toThrow('JSON');
});
