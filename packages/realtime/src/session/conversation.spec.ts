import { Conversation, type Item, itemsToStore, storedText, toItemEvent, textBefore } from './conversation.js';

const anItem = (id: string, more: Partial<Item> = {}): Item => ({
  id,
  role: 'user',
  status: 'completed',
  text: id,
  spoken: false,
  ...more,
});

describe('a conversation', () => {
  it('is a list of items that others can be inserted into anywhere', () => {
    const conversation = new Conversation();
    expect([conversation.hasUserItems, conversation.lastId]).toEqual([false, null]);
    expect(conversation.add(anItem('b'))).toBeNull();
    expect(conversation.add(anItem('d'))).toBe('b');
    expect(conversation.add(anItem('a'), 'root')).toBeNull();
    expect(conversation.add(anItem('c'), 'b')).toBe('b');
    expect(['a', 'b', 'c', 'd'].map((id) => conversation.previousOf(id))).toEqual([null, 'a', 'b', 'c']);
    conversation.remove('b');
    conversation.remove('nobody');
    expect([conversation.previousOf('c'), conversation.lastId, conversation.find('b')]).toEqual(['a', 'd', undefined]);
  });

  it('has the latest four pictures, and does not send them back', () => {
    const conversation = new Conversation();
    for (const id of ['a', 'b', 'c']) conversation.add(anItem(id, { images: ['data:1', 'data:2'] }));
    expect(conversation.all.map(({ images }) => images?.length)).toEqual([undefined, 2, 2]);
    expect(toItemEvent(conversation.all[1]!)).toMatchObject({
      content: [{ type: 'input_text', text: 'b' }, { type: 'input_image' }, { type: 'input_image' }],
    });
  });

  it("knows the user's unanswered items", () => {
    const conversation = new Conversation();
    conversation.add(anItem('answered', { answered: true }));
    conversation.add(anItem('heard', { text: null, spoken: true }));
    conversation.add(anItem('avatar', { role: 'assistant' }));
    conversation.add(anItem('new'));
    expect(conversation.unanswered.map(({ id }) => id)).toEqual(['new']);
  });

  it('counts what the user said before a replayed answer as answered elsewhere', () => {
    const conversation = new Conversation();
    const replayed = anItem('replayed', { role: 'assistant', isSeeded: true });
    for (const item of [anItem('old'), replayed, anItem('new')]) conversation.add(item);
    conversation.add(anItem('older'), 'root');
    conversation.add(anItem('call', { role: 'assistant', isSeeded: true, call: { name: 'f', call_id: 'c' } }));
    expect(conversation.unanswered.map(({ id }) => id)).toEqual(['new']);
    expect(conversation.find('older')).toMatchObject({ answered: true, isSeeded: true });
  });

  it('drops its oldest items', () => {
    const conversation = new Conversation();
    for (let n = 0; n < 501; n++) conversation.add(anItem(`i${n}`));
    expect([conversation.find('i0'), conversation.find('i1')?.id]).toEqual([undefined, 'i1']);
  });

  it('drops its oldest items while their texts are too long together, including transcripts that came later', () => {
    const conversation = new Conversation();
    const long = 'x'.repeat(8000);
    const heard = anItem('heard', { text: null, spoken: true });
    conversation.add(heard);
    for (let n = 1; n <= 31; n++) conversation.add(anItem(`i${n}`, { text: long }));
    expect(conversation.all).toHaveLength(32);
    heard.text = long;
    conversation.add(anItem('short'));
    expect([conversation.find('heard')?.id, conversation.find('i1')?.id]).toEqual([undefined, 'i1']);
    conversation.add({ ...heard, text: null }, 'root');
    conversation.add(anItem('last', { text: long }));
    const ids = [conversation.find('heard')?.id, conversation.find('i1'), conversation.find('i2')?.id];
    expect(ids).toEqual(['heard', undefined, 'i2']);
  });
});

it.each([
  [
    { role: 'user', spoken: false },
    { type: 'input_text', text: 'x' },
  ],
  [
    { role: 'user', spoken: true },
    { type: 'input_audio', transcript: 'x' },
  ],
  [
    { role: 'assistant', spoken: false },
    { type: 'output_text', text: 'x' },
  ],
  [
    { role: 'assistant', spoken: true },
    { type: 'output_audio', transcript: 'x' },
  ],
] as const)('an item of %j is shown with %j', (item, content) => {
  expect(toItemEvent(anItem('x', item))).toMatchObject({
    object: 'realtime.item',
    type: 'message',
    content: [content],
  });
});

it('what the user said before and went on belongs to a message, the last as far as it fits', () => {
  const said = (id: string, length: number) => anItem(id, { text: id.repeat(length), isContinued: true });
  const message = [anItem('d', { text: 'd'.repeat(5000) })];
  const items = [said('a', 100), anItem('x'), said('b', 2000), said('c', 900), ...message];
  expect(textBefore(items, message)).toBe(`${'a'.repeat(100)} ${'b'.repeat(2000)} ${'c'.repeat(900)}`.slice(101));
  expect(textBefore([anItem('x'), ...message], message)).toBeUndefined();
});

it('an item without a transcript yet has none', () => {
  const heard = anItem('x', { text: null, spoken: true });
  expect(toItemEvent(heard)).toMatchObject({ content: [{ type: 'input_audio', transcript: null }] });
  expect(toItemEvent({ ...heard, spoken: false })).toMatchObject({ content: [{ type: 'input_text', text: '' }] });
});

it('long texts are stored cut, visibly and between characters', () => {
  expect(storedText(anItem('a', { text: 'x'.repeat(8000) }))).toHaveLength(8000);
  expect(storedText(anItem('a', { text: 'x'.repeat(8001) }))).toBe(`${'x'.repeat(7999)}…`);
  expect(storedText(anItem('a', { text: '😀'.repeat(8000) }))).toBe('😀'.repeat(8000));
  expect(storedText(anItem('a', { text: '😀'.repeat(8001) }))).toBe(`${'😀'.repeat(7999)}…`);
});

it('function calls and their results are items of their own types', () => {
  const call = { name: 'f', call_id: 'c' };
  expect(toItemEvent(anItem('a', { role: 'assistant', text: '{}', call }))).toMatchObject({
    type: 'function_call',
    ...call,
    arguments: '{}',
  });
  expect(toItemEvent(anItem('a', { role: 'tool', text: '7', result_of: 'c' }))).toMatchObject({
    type: 'function_call_output',
    call_id: 'c',
    output: '7',
  });
});

it('messages are deleted by clients alone: neither one that was never heard, nor what was dropped', () => {
  const conversation = new Conversation();
  const answer = { truncate: async () => 0 };
  conversation.setMessage([anItem('never', { role: 'assistant', answer })], 'unheard');
  const dropped = anItem('dropped');
  for (const item of [dropped, ...Array.from({ length: 500 }, (_, n) => anItem(`${n}`))]) conversation.add(item);
  conversation.setMessage([dropped], 'answered');
  expect(conversation.deleted).toEqual({ answers: new Set(), asked: new Set() });
  const spoken = anItem('spoken', { role: 'assistant', answer });
  conversation.add(spoken);
  conversation.remove('spoken');
  conversation.setMessage([spoken], 'said');
  expect(conversation.deleted).toEqual({ answers: new Set(['spoken', 'said']), asked: new Set() });
});

it('in a full session, what was added first is dropped, not what was just put at the beginning', () => {
  const conversation = new Conversation();
  for (let n = 0; n < 500; n++) conversation.add(anItem(`${n}`));
  expect(conversation.add(anItem('summary'), 'root')).toBeNull();
  expect(conversation.all).toHaveLength(500);
  expect([conversation.find('0'), conversation.find('summary')?.id, conversation.find('1')?.id]).toEqual([
    undefined,
    'summary',
    '1',
  ]);
  conversation.add(anItem('long', { text: 'x'.repeat(250_000 - 7) }), '1');
  conversation.add(anItem('last', { text: '12345' }));
  expect(conversation.all.map(({ id }) => id)).toEqual(['long', 'last']);
});

it('the pictures that were added last are kept, wherever their items stand', () => {
  const conversation = new Conversation();
  for (let n = 0; n < 4; n++) conversation.add(anItem(`${n}`, { images: ['data:,'] }));
  conversation.add(anItem('first', { images: ['data:,'] }), 'root');
  expect(conversation.all.filter(({ images }) => images).map(({ id }) => id)).toEqual(['first', '1', '2', '3']);
});

it.each([
  ['all that fit into a message', ['a'.repeat(4000), 'b'.repeat(3999)], 2],
  ['no more than fit', ['a'.repeat(4000), 'b'.repeat(4000)], 1],
  ['the first, though it is cut', ['a'.repeat(9000), 'b'], 1],
])('what is stored as one message are %s', (_, texts, count) => {
  const items = texts.map((text, n) => anItem(String(n), { text }));
  expect(itemsToStore(items)).toEqual(items.slice(0, count));
});
