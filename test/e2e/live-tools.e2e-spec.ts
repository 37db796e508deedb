import { CatalogueService } from '../../src/index.js';
import { PUPPET } from '../support/engines.js';
import { FakeRealtime } from '../support/fake-realtime.js';
import { anyServer, aProject, aUser, createTestApp, type TestApp } from '../support/index.js';
import { LiveClient } from '../support/live-client.js';
import { MetronomeModule } from '../support/metronome.js';
import { type ModelRequest, ModelStub } from '../../src/testing/index.js';

const [open, closed] = [aProject(), aProject()];
const clients: LiveClient[] = [];
let test: TestApp;
let port: number;
let model: ModelStub;
let upstream: FakeRealtime;

const WEATHER = {
  type: 'function',
  name: 'get_weather',
  description: 'The weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

beforeAll(async () => {
  [model, upstream] = await Promise.all([new ModelStub().start(), new FakeRealtime().start()]);
  test = await createTestApp({ server: anyServer(), modules: [MetronomeModule], config: { liveSessions: 20 } });
  port = await test.listen();
  const avatar = (_id: string, engine: object) => ({ ...PUPPET, _id, hasLiveMode: true, engine });
  const common = { languages: ['en'], speech: { speaker: { kind: 'metronome' }, transcriber: { kind: 'none' } } };
  const realtime = { kind: 'openai-realtime', base_url: upstream.base_url, model: 'r' };
  const avatars = ['ann', 'echo', 'script', 'eve', 'mirror'];
  await test.app.get(CatalogueService).apply(
    JSON.stringify({
      avatars: [
        avatar('ann', model.entry()),
        avatar('echo', realtime),
        avatar('eve', { ...model.entry(), images: true }),
        avatar('mirror', { ...realtime, images: true }),
        avatar('script', { kind: 'scripted', script: 'ada' }),
      ],
      projects: [
        { ...common, project_id: closed, avatars, settings: {} },
        { ...common, project_id: open, avatars, settings: { clientContext: true } },
      ],
    }),
  );
});
beforeEach(() => {
  model.answer = called;
  model.usage = { prompt_tokens: 50, completion_tokens: 5, total_tokens: 55 };
  model.requests.length = upstream.received.length = 0;
});
afterEach(() => clients.splice(0).forEach((client) => client.socket.terminate()));
afterAll(async () => {
  await test.close();
  model.stop();
  upstream.stop();
});

const callOf = (id: string, city: string, index = 0) => ({
  tool_calls: [{ index, id, function: { name: 'get_weather', arguments: JSON.stringify({ city }) } }],
});
/** Calls the function when the user asks, and tells what it returned. */
function called({ messages, tools }: ModelRequest) {
  const { role, content } = messages.at(-1)!;
  if (role === 'tool') return [`It is ${content}.`];
  return tools && /weather/.test(content!) ? [callOf('c1', 'Paris')] : ['Hello.'];
}

async function aTalker({ project_id = open, avatar = 'ann', tools = [WEATHER] as object[] } = {}) {
  const user_id = aUser();
  const token = await test.token(user_id, project_id);
  const client = await LiveClient.open(port, `model=${avatar}`, token);
  clients.push(client);
  const configure = (session: object) => client.ask({ type: 'session.update', session }, 'session.updated');
  await configure({ tools });
  const create = (item: object) => client.ask({ type: 'conversation.item.create', item }, 'conversation.item.done');
  const output = (call_id: string, text: string) => create({ type: 'function_call_output', call_id, output: text });
  const respond = async (response = {}) =>
    (await client.ask({ type: 'response.create', response }, 'response.done')).response;
  const say = async (text: string) => (await client.answer(text)).response;
  const history = async () => (await test.call({ path: `/chat?user_id=${user_id}`, token })).body.payload.reverse();
  return { client, configure, create, output, respond, say, history };
}
const toolMessages = () => model.requests.at(-1)!.messages.filter(({ role }) => role === 'tool');
const transcriptOf = ({ output }: any) => output.find(({ type }: any) => type === 'message')?.content[0].transcript;

it('a function is called, its output answered, and only words are stored', async () => {
  const { client, output, respond, say, history } = await aTalker();
  const from = client.events.length;
  const first = await say('What is the weather in Paris?');
  const call = { type: 'function_call', name: 'get_weather', call_id: 'c1', arguments: '{"city":"Paris"}' };
  expect(first).toMatchObject({ status: 'completed', output: [call] });
  expect(first.usage).toMatchObject({ total_tokens: 55, input_tokens: 50, output_tokens: 5 });
  expect(client.types(from).slice(2)).toEqual([
    'response.created',
    'response.output_item.added',
    'conversation.item.added',
    'response.function_call_arguments.delta',
    'response.function_call_arguments.done',
    'response.output_item.done',
    'conversation.item.done',
    'response.done',
  ]);
  const [{ id: item_id }] = first.output;
  const of = { response_id: first.id, item_id, output_index: 0, call_id: 'c1' };
  expect(client.of('response.function_call_arguments.delta')).toMatchObject([{ ...of, delta: '{"city":"Paris"}' }]);
  expect(client.of('response.function_call_arguments.done')).toMatchObject([
    { ...of, name: 'get_weather', arguments: '{"city":"Paris"}' },
  ]);
  expect((await history()).map(({ direction }: any) => direction)).toEqual(['outgoing']);
  await output('c1', '21 degrees');
  const second = await respond();
  expect(transcriptOf(second)).toBe('It is 21 degrees.');
  expect(model.requests.at(-1)!.messages.slice(-3)).toMatchObject([
    { role: 'user', content: 'What is the weather in Paris?' },
    { role: 'assistant', tool_calls: [{ id: 'c1', function: { name: 'get_weather' } }] },
    { role: 'tool', tool_call_id: 'c1', content: '21 degrees' },
  ]);
  expect(await history()).toMatchObject([
    { direction: 'outgoing', request: 'What is the weather in Paris?' },
    { direction: 'incoming', answer: 'It is 21 degrees.' },
  ]);
  // It is over: nothing of it is left for the next turn.
  expect(await client.ask({ type: 'response.create' }, 'error')).toMatchObject({
    error: { code: 'nothing_to_answer' },
  });
  await say('Hello');
  expect(model.requests.at(-1)!.messages.at(-1)).toMatchObject({ role: 'user', content: 'Hello' });
});

it('words before a call are spoken and stored, and what follows is a message of its own', async () => {
  model.answer = (request) => {
    const pieces = called(request);
    return typeof pieces[0] === 'string' ? pieces : ['Let me see.', ...pieces, callOf('c2', 'Rome', 1)];
  };
  const { client, output, respond, say, history } = await aTalker();
  const first = await say('The weather, please.');
  expect(first.output.map(({ type }: any) => type)).toEqual(['message', 'function_call', 'function_call']);
  expect(client.of('response.output_item.added').map(({ output_index }) => output_index)).toEqual([0, 1, 2]);
  await output('c2', 'rain');
  await output('c1', 'sun');
  expect(transcriptOf(await respond())).toBe('It is rain.');
  expect(toolMessages()).toMatchObject([{ content: 'sun' }, { content: 'rain' }]);
  expect(await history()).toMatchObject([
    { request: 'The weather, please.' },
    { direction: 'incoming', answer: 'Let me see.' },
    { direction: 'incoming', request: '', answer: 'It is rain.' },
  ]);
});

it('a call without an output is told to the model once, and its late output is used', async () => {
  const { client, output, respond, say } = await aTalker();
  await say('The weather, please.');
  expect((await respond()).status).toBe('completed');
  expect(toolMessages()[0]!.content).toContain('no_result');
  expect(await client.ask({ type: 'response.create' }, 'error')).toMatchObject({
    error: { code: 'nothing_to_answer' },
  });
  await output('c1', 'late');
  expect(transcriptOf(await respond())).toBe('It is late.');
});

it('who goes on talking before the output is understood, and the output comes later', async () => {
  const { output, respond, say } = await aTalker();
  await say('The weather, please.');
  await say('Hurry.');
  expect(model.requests.at(-1)!.messages.at(-3)).toMatchObject({ content: 'The weather, please. Hurry.' });
  expect(toolMessages()[0]!.content).toContain('no_result');
  await output('c1', 'late');
  expect(transcriptOf(await respond())).toBe('It is late.');
  model.answer = () => ['Bye.'];
  await say('Thanks.');
  expect(toolMessages()).toEqual([]);
});

it('outputs that belong to no call, come again, or are long, do no harm', async () => {
  const { client, output, respond, say } = await aTalker();
  await output('nothing', 'x');
  await say('The weather, please.');
  await output('c1', 'one');
  await output('c1', 'x'.repeat(20_000));
  await respond();
  expect(toolMessages()).toHaveLength(1);
  expect(toolMessages()[0]!.content).toContain('result_too_large');
  const long = { type: 'function_call_output', call_id: 'c1', output: 'x'.repeat(40_000) };
  expect((await client.ask({ type: 'conversation.item.create', item: long }, 'error')).error.code).toBe(
    'invalid_value',
  );
});

it('an answer that is cancelled after the output is given again', async () => {
  const { client, output, respond, say } = await aTalker();
  await say('The weather, please.');
  await output('c1', 'sun');
  let release = () => undefined as void;
  const begun = new Promise<void>((resolve) => {
    model.answer = async () => {
      resolve();
      await new Promise<void>((go) => (release = go));
      return ['Late.'];
    };
  });
  client.send({ type: 'response.create' });
  await begun;
  expect((await client.ask({ type: 'response.cancel' }, 'response.done')).response.status).toBe('cancelled');
  release();
  model.answer = called;
  expect(transcriptOf(await respond())).toBe('It is sun.');
});

it('tools and the choice of a response replace those of the session; a model cannot be made to call for ever', async () => {
  const { client, configure, output, respond, say, create } = await aTalker();
  const choice = () => model.requests.at(-1)!.tool_choice;
  await configure({ tool_choice: 'required' });
  await say('The weather, please.');
  expect(choice()).toBe('required');
  await output('c1', 'sun');
  await respond();
  expect(choice()).toBe('auto');
  const content = [{ type: 'input_text', text: 'Hello' }];
  await create({ type: 'message', role: 'user', content });
  await respond({ tool_choice: { type: 'function', name: 'other' }, tools: [{ ...WEATHER, name: 'other' }] });
  expect(choice()).toEqual({ type: 'function', function: { name: 'other' } });
  expect(model.requests.at(-1)!.tools!.map(({ function: { name } }) => name)).toEqual(['other']);
  await create({ type: 'message', role: 'user', content });
  await respond({ tool_choice: 'none' });
  expect(model.requests.at(-1)!.tools).toBeUndefined();
  const many = Array.from({ length: 200 }, (_, n) => ({ ...WEATHER, name: `tool_${n}` }));
  const large = [{ ...WEATHER, parameters: { type: 'object', title: 'x'.repeat(17_000) } }];
  for (const tools of [many, large])
    for (const event of [
      { type: 'session.update', session: { tools } },
      { type: 'response.create', response: { tools } },
    ])
      expect((await client.ask(event, 'error')).error.code).toBe('invalid_value');
  expect((await configure({})).session.tools).toEqual([WEATHER]);
});

it('out of band, calls are no part of the conversation', async () => {
  const { client, respond, history } = await aTalker();
  const input = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'The weather?' }] }];
  const { output } = await respond({ conversation: 'none', input, metadata: { topic: 'one' } });
  expect(output).toMatchObject([{ type: 'function_call', call_id: 'c1' }]);
  expect(client.of('conversation.item.added')).toEqual([]);
  expect(await history()).toEqual([]);
});

it('a conversation with calls that a client replays is context', async () => {
  const { create, say } = await aTalker();
  await create({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'In Oslo?' }] });
  await create({ type: 'function_call', call_id: 'old', name: 'get_weather', arguments: '{"city":"Oslo"}' });
  await create({ type: 'function_call_output', call_id: 'old', output: 'snow' });
  await create({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Snow.' }] });
  await say('Hello');
  expect(
    model.requests
      .at(-1)!
      .messages.slice(1)
      .map(({ content }) => content),
  ).toEqual(['In Oslo?', 'get_weather({"city":"Oslo"}) returned: snow\nSnow.', 'Hello']);
});

it.each([
  ['a project that allows it not', closed, 'ann'],
  ['a script', open, 'script'],
])('with %s, tools and their items have no effect and no error', async (_, project_id, avatar) => {
  const tools = Array.from({ length: project_id === closed ? 200 : 2 }, (_, n) => ({ ...WEATHER, name: `tool_${n}` }));
  const { client, create, output, respond } = await aTalker({ project_id, avatar, tools });
  await output('nothing', 'x');
  const { item } = await create({ type: 'function_call', call_id: 'c9', name: 'f', arguments: '{}' });
  const again = await client.ask(
    { type: 'conversation.item.retrieve', item_id: item.id },
    'conversation.item.retrieved',
  );
  expect(again.item).toMatchObject({ call_id: 'c9', name: 'f', arguments: '{}' });
  await create({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'The weather, please' }] });
  const { status, output: said } = await respond({ tools });
  expect([status, said.length]).toEqual(['completed', 1]);
  expect(model.requests.every((request) => request.tools === undefined)).toBe(true);
  expect(client.of('error')).toEqual([]);
});

it('an upstream server gets tools, outputs and metadata, and its calls and usage come back', async () => {
  const { client, output, respond, say, history } = await aTalker({ avatar: 'echo' });
  const first = await say('call Paris');
  expect(first).toMatchObject({
    output: [{ type: 'function_call', name: 'get_weather', arguments: '{"city":"Paris"}' }],
    usage: { total_tokens: 10, input_tokens: 7, output_tokens: 3 },
  });
  const [{ call_id }] = first.output;
  await output(call_id, '21 degrees');
  const second = await respond({ metadata: { topic: 'one' } });
  expect(transcriptOf(second)).toBe('It returned 21 degrees');
  expect(upstream.of('session.update').at(-1)!.session.tools).toEqual([WEATHER]);
  expect(upstream.of('conversation.item.create').at(-1)!.item).toMatchObject({
    type: 'function_call_output',
    call_id,
    output: '21 degrees',
  });
  expect(upstream.of('response.create').at(-1)!.response).toMatchObject({ metadata: { topic: 'one' } });
  expect((await history()).map(({ request, answer }: any) => answer ?? request)).toEqual([
    'call Paris',
    'It returned 21 degrees',
  ]);
  expect(client.of('error')).toEqual([]);
});

it('the tools of a project that allows none do not reach an upstream server', async () => {
  const { say } = await aTalker({ avatar: 'echo', project_id: closed });
  expect((await say('call Paris')).output).toMatchObject([{ type: 'message' }]);
  expect(JSON.stringify(upstream.received)).not.toContain('get_weather');
});

it('a model sees the pictures that the user shows, and those of before; the history has the words', async () => {
  const image_url = `data:image/png;base64,${Buffer.alloc(300_000, 1).toString('base64')}`;
  const picture = { type: 'input_image', image_url, detail: 'auto' };
  const message = (...content: object[]) => ({ type: 'message', role: 'user', content });
  const text = (words: string) => ({ type: 'input_text', text: words });
  model.answer = () => ['A cat.'];
  const { client, create, history } = await aTalker({ project_id: closed, avatar: 'eve' });
  const respond = () => client.ask({ type: 'response.create' }, 'response.done');
  const { item } = await create(message(text('What is this?'), picture));
  expect(item.content).toEqual([text('What is this?'), { type: 'input_image' }]);
  await respond();
  const shown = { type: 'image_url', image_url: { url: image_url } };
  expect(model.requests[0]!.messages.at(-1)!.content).toEqual([{ type: 'text', text: 'What is this?' }, shown]);
  await create(message(text('And its colour?')));
  await respond();
  expect(model.requests[1]!.messages.at(-1)!.content).toEqual([{ type: 'text', text: 'And its colour?' }, shown]);
  expect(model.requests[1]!.messages.at(-3)).toMatchObject({ role: 'user', content: 'What is this?' });
  await create(message(picture));
  await respond();
  expect(
    (await history()).filter(({ direction }: any) => direction === 'outgoing').map(({ request }: any) => request),
  ).toEqual(expect.arrayContaining(['What is this?', 'And its colour?', '🖼️']));
  const aside = { conversation: 'none', input: [message(text('Aside'), picture)] };
  await client.ask({ type: 'response.create', response: aside }, 'response.done');
  expect(model.requests[3]!.messages.at(-1)!.content).toEqual([{ type: 'text', text: 'Aside' }, shown]);
  const blind = await aTalker({ project_id: closed, avatar: 'ann' });
  const { error } = await blind.client.ask({ type: 'conversation.item.create', item: message(picture) }, 'error');
  expect(error).toMatchObject({ type: 'invalid_request_error', code: 'unsupported_content_type' });
  const mirror = await aTalker({ project_id: closed, avatar: 'mirror' });
  await mirror.create(message(text('Look'), picture));
  await mirror.client.ask({ type: 'response.create' }, 'response.done');
  const sent = upstream.received.filter(
    ({ type, item }: any) => type === 'conversation.item.create' && item.role === 'user',
  );
  expect(sent.at(-1)!.item).toMatchObject({ content: [text('Look'), { type: 'input_image', image_url }] });
});
