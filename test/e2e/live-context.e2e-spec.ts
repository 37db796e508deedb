import { setTimeout as delay } from 'node:timers/promises';
import { CatalogueService } from '../../src/index.js';
import { SpeechService } from '../../src/speech/index.js';
import { PUPPET, PuppetEngine, PuppetModule } from '../support/engines.js';
import { anyServer, aProject, aUser, createTestApp, type TestApp } from '../support/index.js';
import { LiveClient } from '../support/live-client.js';
import { MetronomeModule } from '../support/metronome.js';

const [closed, open] = [aProject(), aProject()];
const clients: LiveClient[] = [];
let test: TestApp;
let port: number;

beforeAll(async () => {
  test = await createTestApp({ server: anyServer(), modules: [PuppetModule, MetronomeModule] });
  port = await test.listen();
  const common = { avatars: ['live'], languages: ['en'], speech: { speaker: { kind: 'metronome' } } };
  await test.app.get(CatalogueService).apply(
    JSON.stringify({
      avatars: [{ ...PUPPET, _id: 'live', hasLiveMode: true }],
      projects: [
        { ...common, project_id: closed, settings: {} },
        { ...common, project_id: open, settings: { clientContext: true } },
      ],
    }),
  );
});
afterEach(() => clients.splice(0).forEach((client) => client.socket.terminate()));
afterAll(() => test.close());

const aTalker = async (project_id: string) => {
  const user_id = aUser();
  const token = await test.token(user_id, project_id);
  const client = await LiveClient.open(port, 'model=live', token);
  clients.push(client);
  const tell = (role: string, text: string, more = {}) => {
    const type = role === 'assistant' ? 'output_text' : 'input_text';
    const item = { type: 'message', role, content: [{ type, text }], ...more };
    return client.ask({ type: 'conversation.item.create', item }, 'conversation.item.done');
  };
  const respond = (response = {}) => client.ask({ type: 'response.create', response }, 'response.done');
  const history = async () => (await test.call({ path: `/chat?user_id=${user_id}`, token })).body.payload.reverse();
  const asked = () => test.app.get(PuppetEngine).asked.filter((turn) => turn.user_id === user_id);
  return { client, tell, respond, history, asked };
};

it('a conversation that a client replays is neither asked nor stored, and the next words are', async () => {
  for (const project of [closed, open]) {
    const { tell, respond, history, asked } = await aTalker(project);
    await tell('system', 'Answer in verse.');
    await tell('user', 'I am Zoe.');
    await tell('assistant', 'Hello Zoe.');
    await tell('user', 'who am I');
    expect((await respond()).response.status).toBe('completed');
    expect(asked().map(({ request }) => request)).toEqual(['who am I']);
    expect(await history()).toMatchObject([{ request: 'who am I' }, { answer: 'You said: who am I' }]);
    const items = [
      { role: 'system', text: 'Answer in verse.' },
      { role: 'user', text: 'I am Zoe.' },
      { role: 'assistant', text: 'Hello Zoe.' },
    ];
    expect(asked()[0]!.client).toEqual(project === open ? { instructions: '', items } : undefined);
  }
});

it('after system items, and replayed items of the avatar alone, the greeting comes first', async () => {
  const { tell, respond } = await aTalker(closed);
  await tell('developer', 'Greet warmly.');
  await tell('assistant', 'Hello.');
  const { response } = await respond({ instructions: 'Greet the user.', metadata: { a: 'b' } });
  expect(response).toMatchObject({ metadata: { a: 'b' }, output: [{ content: [{ transcript: 'At your service.' }] }] });
});

it('instructions and tools are kept where the project allows it, and visibly left out elsewhere', async () => {
  const session = { instructions: 'Be brief.', tools: [{ type: 'function', name: 'f' }] };
  const [one, other] = [await aTalker(closed), await aTalker(open)];
  const updated = async ({ client }: typeof one) =>
    (await client.ask({ type: 'session.update', session }, 'session.updated')).session;
  expect(await updated(one)).toMatchObject({ instructions: '', tools: [] });
  expect(await updated(other)).toMatchObject({ instructions: 'Be brief.', tools: [{ name: 'f' }] });
  await other.client.answer('one');
  expect(other.asked()[0]!.client).toMatchObject({ instructions: 'Be brief.' });
});

it('with input or instructions the avatar is asked, and only its answer is stored; out of band nothing is', async () => {
  const { client, respond, history, asked } = await aTalker(open);
  const input = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'one' }] }];
  await respond({ input, conversation: 'none' });
  expect(await history()).toEqual([]);
  await respond({ input });
  await respond({ instructions: 'Say goodbye.' });
  expect(asked().map(({ request }) => request)).toEqual(['one', 'one', '']);
  expect(asked()[2]!.client).toMatchObject({ instructions: 'Say goodbye.' });
  expect(await history()).toMatchObject([
    { direction: 'incoming', request: '', answer: 'You said: one' },
    { direction: 'incoming', request: '', answer: 'You said: ' },
  ]);
  expect(client.of('conversation.item.added')).toHaveLength(2);
});

it('a long item is answered whole, and stored cut', async () => {
  const { client, history, asked } = await aTalker(closed);
  client.send({ type: 'session.update', session: { output_modalities: ['text'] } });
  const text = `wait 0 ${'x'.repeat(20_000)}`;
  const { response } = await client.answer(text);
  expect(response.output[0].content[0].text).toContain('x'.repeat(15_000));
  expect(asked()[0]!.request).toBe(text);
  const [{ request }] = await history();
  expect(request).toBe(`${text.slice(0, 7999)}…`);
});

it('speech in an item needs a transcriber; without words it is removed, and an empty response follows', async () => {
  const { client } = await aTalker(closed);
  const content = [{ type: 'input_audio', audio: Buffer.alloc(4800).toString('base64') }];
  client.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } });
  await client.next('conversation.item.deleted');
  expect((await client.next('response.done')).response).toMatchObject({ status: 'completed', output: [] });
});

it('while speech in items is transcribed, other events are handled, and a response waits for all of it', async () => {
  const { client, tell, asked } = await aTalker(closed);
  const finish: ((text: string) => void)[] = [];
  jest
    .spyOn(test.app.get(SpeechService, { strict: false }), 'transcribe')
    .mockImplementation(() => new Promise((resolve) => finish.push(resolve)));
  const content = [{ type: 'input_audio', audio: Buffer.alloc(4800).toString('base64') }];
  for (const id of ['first', 'second', 'third'])
    client.send({ type: 'conversation.item.create', item: { id, type: 'message', role: 'user', content } });
  client.send({ type: 'response.create' });
  const { response } = await client.ask({ type: 'response.cancel' }, 'response.done');
  expect(response).toMatchObject({ status: 'cancelled', status_details: { reason: 'client_cancelled' } });
  await client.ask({ type: 'conversation.item.delete', item_id: 'second' }, 'conversation.item.deleted');
  await tell('user', 'three');
  client.send({ type: 'response.create', response: { input: [{ type: 'item_reference', id: 'third' }] } });
  finish[0]!('one');
  while (finish.length < 2) await delay(5);
  const from = client.events.length;
  finish[1]!('two');
  expect((await client.next('response.done', from)).response.status).toBe('completed');
  expect((await client.ask({ type: 'response.create' }, 'response.done')).response.status).toBe('completed');
  expect(asked().map(({ request }) => request)).toEqual(['two', 'one\ntwo\nthree']);
  expect(finish).toHaveLength(2);
  jest.restoreAllMocks();
});

it('of a conversation given as input, what follows the last answer is asked; speech in it is refused', async () => {
  const { client, respond, asked } = await aTalker(open);
  const said = (role: string, text: string) => ({ type: 'message', role, content: [{ type: 'text', text }] });
  await respond({ input: [said('user', 'I am Zoe.'), said('assistant', 'Hello Zoe.'), said('user', 'who am I')] });
  expect(asked()[0]).toMatchObject({
    request: 'who am I',
    client: {
      items: [
        { role: 'user', text: 'I am Zoe.' },
        { role: 'assistant', text: 'Hello Zoe.' },
      ],
    },
  });
  const content = [{ type: 'input_audio', audio: Buffer.alloc(4800).toString('base64') }];
  const input = [{ type: 'message', role: 'user', content }];
  const { error } = await client.ask({ type: 'response.create', response: { input } }, 'error');
  expect(error).toMatchObject({ code: 'invalid_value', message: expect.stringContaining('response.input') });
});

it('instructions of any length are accepted where they have no effect', async () => {
  const { respond, client } = await aTalker(closed);
  const instructions = 'x'.repeat(40_000);
  expect((await respond({ instructions })).response.status).toBe('completed');
  const talker = await aTalker(open);
  const refused = await talker.client.ask({ type: 'response.create', response: { instructions } }, 'error');
  expect(refused.error.message).toContain('response.instructions');
  expect(client.of('error')).toEqual([]);
});

it('what a client deletes is no longer told to the model, and stays in the history', async () => {
  const { client, history, asked } = await aTalker(closed);
  await client.answer('one');
  await client.answer('two');
  await client.answer('three');
  await client.answer('and more');
  const items = client.of('conversation.item.added').map(({ item }) => item);
  const itemOf = (role: string, n: number) => items.filter((item) => item.role === role)[n]!.id;
  for (const item_id of [itemOf('user', 0), itemOf('assistant', 0), itemOf('user', 1), itemOf('assistant', 3)])
    await client.ask({ type: 'conversation.item.delete', item_id }, 'conversation.item.deleted');
  await client.answer('four');
  const { history: told, said } = asked().at(-1)!;
  expect(told).toEqual([
    { request: '', answer: 'You said: two' },
    { request: 'three', answer: 'You said: three' },
    { request: 'and more', answer: '' },
  ]);
  expect(said!.map(({ request }) => request)).toEqual(['three', 'and more']);
  expect(await history()).toHaveLength(10);
});

it('what is deleted while it is answered is not told, and one of several items leaves what the others said', async () => {
  const { client, tell, respond, asked } = await aTalker(closed);
  const deleteWhileAnswered = async (n: number) => {
    const from = client.events.length;
    client.send({ type: 'response.create' });
    await client.next('response.created', from);
    const { item } = client.of('conversation.item.added').filter(({ item }) => item.role === 'user')[n]!;
    await client.ask({ type: 'conversation.item.delete', item_id: item.id }, 'conversation.item.deleted');
    expect((await client.next('response.done', from)).response.status).toBe('completed');
  };
  await tell('user', 'wait 100 one');
  await deleteWhileAnswered(0);
  await tell('user', 'wait 100 x');
  await tell('user', 'y');
  await deleteWhileAnswered(1);
  const first = await tell('user', 'two');
  await tell('user', 'three');
  await respond();
  await client.ask({ type: 'conversation.item.delete', item_id: first.item.id }, 'conversation.item.deleted');
  await client.answer('four');
  expect(
    asked()
      .at(-1)!
      .history.map(({ request }) => request),
  ).toEqual(['', 'wait 100 x\ny', 'two\nthree']);
});
