import { SpeechService } from '../../src/speech/index.js';
import { setTimeout as delay } from 'node:timers/promises';
import { AdminService } from '../../src/admin/index.js';
import { CatalogueService } from '../../src/index.js';
import { MessageRecorder } from '../../src/messages/index.js';
import { PUPPET, PuppetEngine, PuppetModule } from '../support/engines.js';
import { FakeRealtime } from '../support/fake-realtime.js';
import { anOwner, anyServer, aProject, createTestApp, storedMessages, type TestApp } from '../support/index.js';
import { LiveClient } from '../support/live-client.js';
import { MetronomeModule } from '../support/metronome.js';

const LONG = Array.from({ length: 100 }, (_, n) => `w${n}`).join(' ');
let test: TestApp;
/** Another process of the same service. */
let other: TestApp;
let port: number;
let upstream: FakeRealtime;
let project_id: string;
const clients: LiveClient[] = [];

beforeAll(async () => {
  process.env.PROVIDER_REALTIME = 'key';
  upstream = await new FakeRealtime().start();
  const modules = [PuppetModule, MetronomeModule];
  test = await createTestApp({ server: anyServer(), modules, config: { liveSessions: 8 } });
  other = await createTestApp({
    server: anyServer(),
    modules,
    clock: test.clock,
    config: { database: test.config.database },
  });
  port = await test.listen();
});
beforeEach(async () => {
  project_id = aProject();
  const { base_url } = upstream;
  const engine = { kind: 'openai-realtime', base_url, model: 'm', api_key_env: 'PROVIDER_REALTIME' };
  const live = { ...PUPPET, hasLiveMode: true };
  await test.app.get(CatalogueService).apply(
    JSON.stringify({
      avatars: [
        { ...live, _id: 'live' },
        { ...live, _id: 'echo', engine },
      ],
      projects: [
        {
          project_id,
          avatars: ['live', 'echo'],
          languages: ['en'],
          settings: {},
          speech: { speaker: { kind: 'metronome' } },
        },
      ],
    }),
  );
  upstream.times = 1;
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.socket.terminate();
  await delay(20);
});
afterAll(async () => {
  delete process.env.PROVIDER_REALTIME;
  await other.app.close();
  await test.close();
  upstream.stop();
});

const admin = () => other.app.get(AdminService, { strict: false });
const aTalker = async (avatar_id: string) => {
  const owner = anOwner({ project_id });
  const token = await test.token(owner.user_id, project_id);
  const open = async (query = '') => {
    const client = await LiveClient.open(port, `model=${avatar_id}${query}`, token);
    clients.push(client);
    return client;
  };
  const messages = () => storedMessages(test, owner);
  return { owner, open, client: await open(), messages };
};
const written = (text: string) => ({
  type: 'conversation.item.create',
  item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
});
const items = (client: LiveClient) => {
  const gone = new Set(client.of('conversation.item.deleted').map(({ item_id }) => item_id));
  return client.of('conversation.item.added').filter(({ item }) => !gone.has(item.id));
};

describe.each(['live', 'echo'])('when its user is erased, a live answer of the avatar %s', (avatar_id) => {
  it('ends within about a second, and the user starts anew', async () => {
    const { client, owner, messages } = await aTalker(avatar_id);
    await client.answer('before');
    upstream.times = 100;
    client.say(avatar_id === 'live' ? LONG : 'secret');
    const from = client.events.length;
    await client.next('response.output_audio.delta', from);
    await admin().eraseUser(owner);
    const erased = Date.now();
    const done = await client.next('response.done', from);
    expect(Date.now() - erased).toBeLessThan(4000);
    expect(done.response).toMatchObject({
      status: 'failed',
      status_details: { type: 'failed', error: { code: 'user_erased' } },
    });
    await delay(200);
    expect(client.types(client.events.indexOf(done))).not.toContain('response.output_audio.delta');
    expect(items(client)).toEqual([]);
    expect(await messages()).toEqual([]);
    upstream.times = 1;
    upstream.received.length = 0;
    expect((await client.answer('after')).response.status).toBe('completed');
    const stored = await messages();
    expect(stored.map(({ request }) => request)).toEqual(['after', 'after']);
    if (avatar_id === 'live') {
      expect(test.app.get(PuppetEngine).asked.at(-1)).toMatchObject({ request: 'after', history: [] });
    } else {
      const texts = upstream.of('conversation.item.create').map(({ item }) => item.content[0].text);
      expect(texts).toEqual(['after']);
      expect(upstream.of('session.update')).toHaveLength(1);
    }
    expect(client.of('error')).toEqual([]);
  });
});

it('words that have not been answered when their user is erased are forgotten', async () => {
  const { client, owner, messages } = await aTalker('live');
  await client.ask(written('before'), 'conversation.item.done');
  await admin().eraseUser(owner);
  await client.next('conversation.item.deleted');
  expect((await client.answer('after')).response.status).toBe('completed');
  expect((await messages()).map(({ request }) => request)).toEqual(['after', 'after']);
});

it('an answer out of turn is not kept if its user is erased while it is stored', async () => {
  const { client, owner, messages } = await aTalker('live');
  const recorder = test.app.get(MessageRecorder, { strict: false });
  const begin = recorder.begin.bind(recorder);
  jest.spyOn(recorder, 'begin').mockImplementationOnce(async (...given) => {
    await admin().eraseUser(owner);
    return begin(...given);
  });
  const { item } = written('Say hello.');
  client.send({ type: 'response.create', response: { input: [item] } });
  expect((await client.next('response.done')).response).toMatchObject({
    status: 'failed',
    status_details: { error: { code: 'user_erased' } },
  });
  expect(await messages()).toEqual([]);
});

it('speech in an item that is transcribed while its user is erased is forgotten', async () => {
  const { client, owner, messages } = await aTalker('live');
  const finish: ((text: string) => void)[] = [];
  jest
    .spyOn(test.app.get(SpeechService, { strict: false }), 'transcribe')
    .mockImplementation(() => new Promise((resolve) => finish.push(resolve)));
  const content = [{ type: 'input_audio', audio: Buffer.alloc(4800).toString('base64') }];
  client.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } });
  await client.next('conversation.item.done');
  await admin().eraseUser(owner);
  await client.next('conversation.item.deleted');
  finish[0]!('before');
  expect((await client.answer('after')).response.status).toBe('completed');
  expect((await messages()).map(({ request }) => request)).toEqual(['after', 'after']);
  jest.restoreAllMocks();
});

it('a turn that is transcribed while its user is erased is forgotten', async () => {
  const speech = test.app.get(SpeechService, { strict: false });
  let hear!: Parameters<SpeechService['listen']>[2];
  const nothing = () => undefined;
  const stream = { push: nothing, configure: nothing, commit: () => false, clear: nothing, close: nothing };
  jest.spyOn(speech, 'listen').mockImplementation((_speech, _options, listener) => {
    hear = listener;
    return Promise.resolve(stream);
  });
  const { client, owner, messages } = await aTalker('live');
  hear({ utterance: 1, event: 'started', at: 0 });
  hear({ utterance: 1, event: 'stopped', at: 100 });
  await client.next('conversation.item.done');
  await admin().eraseUser(owner);
  await client.next('conversation.item.deleted');
  hear({ utterance: 1, event: 'final', text: 'before' });
  expect((await client.answer('after')).response.status).toBe('completed');
  expect((await messages()).map(({ request }) => request)).toEqual(['after', 'after']);
  jest.restoreAllMocks();
});

it.each([
  ['connected', false],
  ['away', true],
])('a turn of an erased user whose client is %s is not transcribed any more', async (_, isAway) => {
  const speech = test.app.get(SpeechService, { strict: false });
  const hears: Parameters<SpeechService['listen']>[2][] = [];
  const open = new Set<number>();
  const nothing = () => undefined;
  jest.spyOn(speech, 'listen').mockImplementation(async (_speech, _options, listener) => {
    const number = hears.push(listener) - 1;
    open.add(number);
    const close = () => void open.delete(number);
    return { push: nothing, configure: nothing, commit: () => false, clear: nothing, close };
  });
  const { client, open: connect, owner, messages } = await aTalker('live');
  const { id } = client.of('session.created')[0]!.session;
  hears[0]!({ utterance: 1, event: 'started', at: 0 });
  hears[0]!({ utterance: 1, event: 'stopped', at: 100 });
  await client.next('conversation.item.done');
  if (isAway) client.socket.terminate();
  await delay(1500);
  expect(open).toEqual(new Set([0]));
  await admin().eraseUser(owner);
  for (const end = Date.now() + 15_000; open.has(0) && Date.now() < end;) await delay(20);
  expect(open).toEqual(new Set(isAway ? [] : [1]));
  hears[0]!({ utterance: 1, event: 'final', text: 'before' });
  const now = isAway ? await connect(`&resume=${id}`) : client;
  expect((await now.answer('after')).response.status).toBe('completed');
  expect((await messages()).map(({ request }) => request)).toEqual(['after', 'after']);
  jest.restoreAllMocks();
});

it('a live session whose user is erased while the client is away is resumed empty', async () => {
  const { client, open, owner } = await aTalker('echo');
  await client.answer('before');
  const { id } = client.of('session.created')[0]!.session;
  client.socket.terminate();
  while (upstream.sockets.size > 0) await delay(10);
  await admin().eraseUser(owner);
  upstream.received.length = 0;
  const again = await open(`&resume=${id}`);
  expect((await again.answer('after')).response.status).toBe('completed');
  expect(again.of('session.created')).toMatchObject([{ resumed: true }]);
  const texts = upstream.of('conversation.item.create').map(({ item }) => item.content[0].text);
  expect(texts).toEqual(['after']);
});

it('a live answer ends when its project is removed', async () => {
  const { client } = await aTalker('live');
  client.say(LONG);
  await client.next('response.output_audio.delta');
  await admin().removeProject(project_id);
  expect((await client.next('response.done')).response).toMatchObject({
    status: 'failed',
    status_details: { error: { code: 'project_not_found' } },
  });
  expect(await client.closed).toEqual({ code: 1008, reason: 'invalid_token' });
});
