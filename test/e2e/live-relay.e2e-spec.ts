import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { OpenAiRealtime } from 'avatar-chat-models';
import { CatalogueService } from '../../src/index.js';
import { EngineRegistry } from '../../src/engines/index.js';
import { engineContract } from '../../src/testing/index.js';
import { PUPPET } from '../support/engines.js';
import { FakeRealtime, type RealtimeFault, UNINTELLIGIBLE } from '../support/fake-realtime.js';
import { anyServer, aProject, aUser, createTestApp, type TestApp } from '../support/index.js';
import { LiveClient } from '../support/live-client.js';

const KEY = 'sk-very-secret';
const project_id = aProject();
const greeter = aProject();
const clients: LiveClient[] = [];
let test: TestApp;
let port: number;
let upstream: FakeRealtime;
let warnings: string[];

beforeAll(async () => {
  process.env.PROVIDER_REALTIME = KEY;
  upstream = await new FakeRealtime().start();
  test = await createTestApp({ server: anyServer(), config: { liveSessions: 8 } });
  port = await test.listen();
  const engine = {
    kind: 'openai-realtime',
    base_url: upstream.base_url,
    model: 'gpt-realtime',
    voice: 'marin',
    system_prompt: 'You are an echo.',
    api_key_env: 'PROVIDER_REALTIME',
  };
  const project = {
    avatars: ['echo'],
    languages: ['en'],
    speech: { speaker: { kind: 'none' }, transcriber: { kind: 'none' } },
    settings: { messageTimeoutSeconds: 3 },
  };
  await test.app.get(CatalogueService).apply(
    JSON.stringify({
      avatars: [{ ...PUPPET, _id: 'echo', hasLiveMode: true, engine }],
      projects: [
        { ...project, project_id },
        { ...project, project_id: greeter, settings: { greet: true } },
      ],
    }),
  );
});
beforeEach(() => {
  warnings = [];
  jest.spyOn(Logger.prototype, 'warn').mockImplementation((message: unknown) => void warnings.push(String(message)));
  Object.assign(upstream, { fault: undefined, times: 1 });
  Object.assign(test.app.get(OpenAiRealtime), { openMs: 5000 });
  for (const list of [upstream.received, upstream.words, upstream.keys, upstream.urls]) list.length = 0;
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.socket.terminate();
  jest.restoreAllMocks();
  await delay(20);
});
afterAll(async () => {
  delete process.env.PROVIDER_REALTIME;
  await test.close();
  upstream.stop();
});

const aTalker = async (project = project_id, user_id = aUser()) => {
  const token = await test.token(user_id, project);
  const client = await LiveClient.open(port, 'model=echo', token);
  clients.push(client);
  const history = async () =>
    (await test.call({ path: `/chat?user_id=${user_id}&per_page=1000`, token })).body.payload.reverse();
  return { client, token, user_id, history };
};

const speak = (client: LiveClient, words: string) => {
  upstream.words.push(words);
  client.sendSound(0.5, 1000);
  client.sendSound(0.7, 0);
};

engineContract(
  'the engine openai-realtime',
  () => test.app.get(EngineRegistry).find('openai-realtime')!,
  () => ({
    project_id,
    user_id: 'ann',
    avatar: { _id: 'echo', name: 'Echo', greetingText: 'Hello.' },
    engine: { kind: 'openai-realtime', base_url: upstream.base_url, model: 'm', api_key_env: 'PROVIDER_REALTIME' },
    language_code: 'en',
    chat_type: 'text',
    request: 'How far is the moon?',
    history: [],
  }),
);

describe('an avatar that an OpenAI Realtime server speaks for', () => {
  it('hears and answers speech, and both sides are stored', async () => {
    const { client, history } = await aTalker();
    const [created] = client.of('session.created');
    expect(created!.session).toMatchObject({
      model: 'echo',
      audio: { input: { transcription: { language: 'en' }, turn_detection: { create_response: true } } },
    });
    const words_asked = { output_audio_timestamp_types: ['word'] };
    await client.ask({ type: 'session.update', session: words_asked }, 'session.updated');
    speak(client, 'Good morning, my dear echo.');
    const done = await client.next('response.done');
    const { audio_start_ms, item_id } = await client.next('input_audio_buffer.speech_started');
    expect(audio_start_ms).toBe(0);
    const heard = await client.next('conversation.item.input_audio_transcription.completed');
    expect(heard).toMatchObject({ item_id, transcript: 'Good morning, my dear echo.' });
    const answer = 'You said Good morning, my dear echo.';
    expect(done.response).toMatchObject({ status: 'completed', output: [{ content: [{ transcript: answer }] }] });
    const deltas = client.of('response.output_audio_transcript.delta').map(({ delta }) => delta);
    expect(deltas.join('').trim()).toBe(answer);
    const bytes = client.of('response.output_audio.delta').map(({ delta }) => Buffer.from(delta, 'base64').length);
    expect(bytes.reduce((sum, length) => sum + length, 0)).toBe(7 * 4800);
    const words = client.of('response.audio_timestamp.delta').map(({ text }) => text);
    expect(words).toEqual(answer.match(/\S+\s*/g));
    const messages = await history();
    expect(messages).toMatchObject([
      { direction: 'outgoing', request: 'Good morning, my dear echo.', chat_type: 'voice' },
      { direction: 'incoming', answer, chat_type: 'voice', _id: done.response.output[0].id },
    ]);
    expect(new Set(client.events.map(({ event_id }) => event_id)).size).toBe(client.events.length);
    expect(client.of('vendor.news')).toEqual([]);
    expect(upstream.keys).toEqual([`Bearer ${KEY}`]);
    expect(upstream.urls).toEqual(['/v1/realtime?model=gpt-realtime']);
    expect(upstream.of('session.update')[0]!.session).toMatchObject({
      instructions: expect.stringContaining('You are an echo.'),
      audio: {
        input: { turn_detection: { type: 'server_vad', create_response: false, interrupt_response: false } },
        output: { voice: 'marin' },
      },
    });
  });

  it('answers typed messages, as text if the client requests it, and knows earlier conversations', async () => {
    const first = await aTalker();
    expect((await first.client.answer('first words')).response.status).toBe('completed');
    await first.client.close();
    upstream.received.length = 0;
    const { client, history } = await aTalker(project_id, first.user_id);
    await client.ask({ type: 'session.update', session: { output_modalities: ['text'] } }, 'session.updated');
    const done = await client.answer('second words');
    expect(done.response.output[0].content).toEqual([{ type: 'output_text', text: 'You said second words' }]);
    expect(client.of('response.output_audio.delta')).toEqual([]);
    const items = upstream.of('conversation.item.create').map(({ item: { role, content } }) => [role, content[0].text]);
    expect(items).toEqual([
      ['user', 'first words'],
      ['assistant', 'You said first words'],
      ['user', 'second words'],
    ]);
    expect((await history()).map(({ request, answer }: any) => answer ?? request)).toEqual([
      'first words',
      'You said first words',
      'second words',
      'You said second words',
    ]);
  });

  it('does not let clients speak as the system or as the avatar', async () => {
    const { client } = await aTalker();
    for (const role of ['system', 'assistant']) {
      const content = [{ type: role === 'system' ? 'input_text' : 'output_text', text: `words of ${role}` }];
      const item = { id: `item_${role}`, type: 'message', role, content };
      await client.ask({ type: 'conversation.item.create', item }, 'conversation.item.done');
    }
    await client.answer('first words');
    client.send({ type: 'session.update', session: { instructions: 'words of instructions' } });
    await client.answer('second words');
    expect(upstream.of('conversation.item.create')).toHaveLength(2);
    expect(JSON.stringify(upstream.received)).not.toContain('words of');
    const kept = await client.ask(
      { type: 'conversation.item.retrieve', item_id: 'item_system' },
      'conversation.item.retrieved',
    );
    expect(kept.item).toMatchObject({ role: 'system', content: [{ text: 'words of system' }] });
  });

  it('greets in the words of the avatar', async () => {
    const { client, history } = await aTalker(greeter);
    const done = await client.ask({ type: 'response.create' }, 'response.done');
    expect(done.response.output[0].content[0].transcript).toBe(PUPPET.greetingText);
    expect(await history()).toMatchObject([{ direction: 'incoming', answer: PUPPET.greetingText }]);
  });

  it('is truncated on both sides', async () => {
    const { client, history } = await aTalker();
    upstream.times = 20;
    client.say('one two three four five');
    await client.next('response.output_audio.delta');
    const { item } = await client.next('response.output_item.added');
    const cut = { type: 'conversation.item.truncate', item_id: item.id, content_index: 0, audio_end_ms: 300 };
    const truncated = await client.ask(cut, 'conversation.item.truncated');
    expect(truncated.audio_end_ms).toBeLessThanOrEqual(300);
    expect((await client.next('response.done')).response.status).toBe('cancelled');
    const [, answer] = await history();
    expect('You said one two three four five'.startsWith(answer.answer)).toBe(true);
    expect(answer.answer.split(' ').length).toBeLessThan(7);
    const there = upstream.of('conversation.item.truncate').at(-1);
    expect(there).toMatchObject({ audio_end_ms: truncated.audio_end_ms, item_id: expect.stringContaining('item_up') });
    upstream.times = 1;
    expect((await client.answer('again')).response.status).toBe('completed');
    expect(client.of('error')).toEqual([]);
  });

  it('is interrupted by speech, and not by a backchannel', async () => {
    const { client, history } = await aTalker();
    upstream.times = 30;
    client.say('one two three four five');
    await client.next('response.output_audio.delta');
    const from = client.events.length;
    speak(client, 'mhm');
    await client.next('conversation.item.deleted', from);
    expect(client.of('response.done')).toEqual([]);
    expect(client.of('conversation.item.input_audio_transcription.delta')).toEqual([]);
    speak(client, 'Stop, please.');
    const done = await client.next('response.done', from);
    expect(done.response).toMatchObject({ status: 'cancelled', status_details: { reason: 'turn_detected' } });
    upstream.times = 1;
    await client.next('response.done', client.events.indexOf(done) + 1);
    const messages = await history();
    expect(messages.map(({ request, answer }: any) => (answer === undefined ? request : answer.length < 300))).toEqual([
      'one two three four five',
      true,
      'Stop, please.',
      expect.anything(),
    ]);
    expect(client.of('error')).toEqual([]);
  });

  it('takes manual turns', async () => {
    const { client, history } = await aTalker();
    const session = { audio: { input: { turn_detection: null } } };
    await client.ask({ type: 'session.update', session }, 'session.updated');
    const empty = await client.ask({ type: 'input_audio_buffer.commit' }, 'error');
    expect(empty.error.code).toBe('input_audio_buffer_commit_empty');
    client.sendSound(0.5, 1000);
    await client.ask({ type: 'input_audio_buffer.clear' }, 'input_audio_buffer.cleared');
    const cleared = await client.ask({ type: 'input_audio_buffer.commit' }, 'error');
    expect(cleared.error.code).toBe('input_audio_buffer_commit_empty');
    upstream.words.push('by hand');
    client.sendSound(0.5, 1000);
    client.send({ type: 'input_audio_buffer.commit' });
    const done = await client.ask({ type: 'response.create' }, 'response.done');
    expect(done.response.status).toBe('completed');
    expect(await history()).toMatchObject([{ request: 'by hand' }, { answer: 'You said by hand' }]);
  });

  it.each(['transcripts that the server does not produce', 'a turn that it refuses'])(
    '%s are lost, and reported',
    async (what) => {
      const { client, history } = await aTalker();
      const session = { audio: { input: { turn_detection: null } } };
      await client.ask({ type: 'session.update', session }, 'session.updated');
      if (what.startsWith('words')) upstream.words.push(UNINTELLIGIBLE);
      else upstream.fault = 'deaf';
      client.sendSound(0.5, 1000);
      client.send({ type: 'input_audio_buffer.commit' });
      const { item_id, error } = await client.next('conversation.item.input_audio_transcription.failed');
      expect(error).toMatchObject({ type: 'server_error', code: 'transcription_failed' });
      expect(await client.next('conversation.item.deleted')).toMatchObject({ item_id });
      upstream.fault = undefined;
      expect((await client.answer('written')).response.status).toBe('completed');
      expect(await history()).toMatchObject([{ request: 'written' }, { answer: 'You said written' }]);
    },
  );

  it.each<[RealtimeFault]>([
    ['refuses'],
    ['redirects'],
    ['ignores'],
    ['mute'],
    ['closes'],
    ['garbage'],
    ['hangs'],
    ['error'],
    ['rate-limit'],
  ])('fails with its own error if the server %s, and answers again afterwards', async (fault) => {
    upstream.fault = fault;
    Object.assign(test.app.get(OpenAiRealtime), { openMs: 400 });
    const { client, history } = await aTalker();
    const from = client.events.length;
    const failed = await client.answer('hello');
    expect(failed.response.status).toBe('failed');
    expect(client.events.slice(from).filter(({ type }) => type === 'error').length).toBeLessThanOrEqual(2);
    expect((await client.next('error')).error).toMatchObject({ type: 'server_error', event_id: null });
    upstream.fault = undefined;
    Object.assign(test.app.get(OpenAiRealtime), { openMs: 5000 });
    const done = await client.answer('hello again');
    expect(done.response.status).toBe('completed');
    expect((await history()).at(-1).answer).toBe('You said hello again');
    expect(JSON.stringify(client.events) + warnings.join()).not.toContain('secret');
    expect(warnings.length).toBeGreaterThan(0);
  });

  it('continues if the server is lost between answers', async () => {
    const { client } = await aTalker();
    await client.answer('before');
    const from = client.events.length;
    upstream.received.length = 0;
    upstream.drop();
    expect((await client.next('error', from)).error.code).toBe('engine_failed');
    expect((await client.answer('after')).response.status).toBe('completed');
    const texts = upstream.of('conversation.item.create').map(({ item }) => item.content[0].text);
    expect(texts).toEqual(['before', 'You said before', 'after']);
    expect(client.of('error').length).toBe(1);
  });

  it('keeps no connection for a client that is gone, and resumes the conversation when it is back', async () => {
    const { client, token, history } = await aTalker();
    const { item } = await client.ask(
      {
        type: 'conversation.item.create',
        item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'forget me' }] },
      },
      'conversation.item.done',
    );
    await client.ask({ type: 'conversation.item.delete', item_id: item.id }, 'conversation.item.deleted');
    await client.answer('before');
    // It had not been sent.
    expect(upstream.of('conversation.item.delete').length).toBe(0);
    const { id } = client.of('session.created')[0]!.session;
    upstream.received.length = 0;
    client.socket.terminate();
    while (upstream.sockets.size > 0) await delay(10);
    const again = await LiveClient.open(port, `model=echo&resume=${id}`, token);
    clients.push(again);
    expect(again.of('session.created')[0]).toMatchObject({ resumed: true, session: { id } });
    expect((await again.answer('after')).response.status).toBe('completed');
    const texts = upstream.of('conversation.item.create').map(({ item }) => item.content[0].text);
    expect(texts).toEqual(['before', 'You said before', 'after']);
    expect((await history()).length).toBe(4);
  });

  it('is cancelled while it connects, and connects no longer for a client that is gone', async () => {
    const { client, token } = await aTalker();
    await client.answer('before');
    upstream.fault = 'ignores';
    upstream.drop();
    await client.next('error');
    while (upstream.sockets.size > 0) await delay(10);
    const connecting = async () => {
      const from = client.events.length;
      client.say('after');
      await client.next('response.created', from);
      while (upstream.sockets.size === 0) await delay(10);
      return performance.now();
    };
    const started = await connecting();
    const done = await client.ask({ type: 'response.cancel' }, 'response.done');
    expect(performance.now() - started).toBeLessThan(2000);
    expect(done.response).toMatchObject({ status: 'cancelled', status_details: { reason: 'client_cancelled' } });
    expect(upstream.sockets.size).toBe(1);
    const again = await connecting();
    client.socket.terminate();
    while (upstream.sockets.size > 0) await delay(10);
    upstream.fault = undefined;
    const { id } = client.of('session.created')[0]!.session;
    const resumed = await LiveClient.open(port, `model=echo&resume=${id}`, token);
    clients.push(resumed);
    expect(performance.now() - again).toBeLessThan(2000);
    // What the lost connection left without an answer gets it by itself.
    const { response } = await resumed.next('response.done');
    expect(response.output[0].content[0].transcript).toBe('You said after');
    expect((await resumed.answer('at last')).response.status).toBe('completed');
    expect(client.of('error').length).toBe(1);
  });

  it('supports G.711, too', async () => {
    const { client } = await aTalker();
    const format = { type: 'audio/pcmu' };
    const session = { audio: { input: { format }, output: { format } } };
    await client.ask({ type: 'session.update', session }, 'session.updated');
    upstream.words.push('by telephone');
    const send = (level: number, seconds: number) => client.socket.send(Buffer.alloc(8000 * seconds, level));
    send(0x80, 0.5);
    send(0xff, 0.1); // begins with what fades away
    send(0xff, 0.7);
    expect((await client.next('response.done')).response.status).toBe('completed');
    const bytes = client.of('response.output_audio.delta').map(({ delta }) => Buffer.from(delta, 'base64').length);
    expect(bytes.reduce((sum, length) => sum + length, 0)).toBe(4 * 800);
  });

  it('fails if its key is not set', async () => {
    delete process.env.PROVIDER_REALTIME;
    const { client } = await aTalker();
    expect((await client.answer('hello')).response.status).toBe('failed');
    expect(upstream.keys).toEqual([]);
    process.env.PROVIDER_REALTIME = KEY;
    expect((await client.answer('hello')).response.status).toBe('completed');
  });

  it('answers POST /chat, too', async () => {
    const user_id = aUser();
    const token = await test.token(user_id, project_id);
    const ask = (request: string) =>
      test.call({ method: 'POST', path: '/chat', token, body: { avatar_id: 'echo', request } });
    expect((await ask('typed')).body).toMatchObject({ incoming: { answer: 'You said typed' } });
    upstream.fault = 'error';
    expect(await ask('typed again')).toMatchObject({ status: 502, body: { error: 'engine_failed' } });
    expect(warnings.join()).not.toContain('secret');
  });

  it('is validated when the catalogue is applied', async () => {
    const engine = { kind: 'openai-realtime', base_url: 'ftp://x', model: 'm', api_key_env: 'JWT_SECRET', voice: '' };
    const check = await test.app
      .get(CatalogueService)
      .apply(JSON.stringify({ avatars: [{ ...PUPPET, _id: 'bad', engine }], projects: [] }))
      .catch((error: unknown) => error);
    for (const field of ['base_url', 'api_key_env', 'voice']) expect(JSON.stringify(check)).toContain(field);
  });
});
