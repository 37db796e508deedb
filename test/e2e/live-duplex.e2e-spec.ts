import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { OpenAiRealtime } from 'avatar-chat-models';
import { CatalogueService } from '../../src/index.js';
import { PUPPET } from '../support/engines.js';
import { FakeLive, type LiveFault } from '../support/fake-live.js';
import { anyServer, aProject, aUser, createTestApp, type TestApp } from '../support/index.js';
import { LiveClient } from '../support/live-client.js';

const KEY = 'sk-very-secret';
const ADMIN_KEY = 'k'.repeat(40);
const project_id = aProject();
const clients: LiveClient[] = [];
let test: TestApp;
let port: number;
let upstream: FakeLive;
let warnings: string[];

beforeAll(async () => {
  process.env.PROVIDER_LIVE = KEY;
  upstream = await new FakeLive().start();
  test = await createTestApp({ server: anyServer(), config: { liveSessions: 8, adminKey: ADMIN_KEY } });
  port = await test.listen();
  const engine = {
    kind: 'openai-live',
    base_url: upstream.base_url,
    model: 'chat-model',
    voice: 'marin',
    system_prompt: 'You count.',
    api_key_env: 'PROVIDER_LIVE',
  };
  const speech = { speaker: { kind: 'none' }, transcriber: { kind: 'none' } };
  await test.app.get(CatalogueService).apply(
    JSON.stringify({
      avatars: [{ ...PUPPET, _id: 'voice', hasLiveMode: true, engine }],
      projects: [
        {
          project_id,
          avatars: ['voice'],
          languages: ['en'],
          speech,
          settings: { messageTimeoutSeconds: 5 },
          handover: { enabled: true },
        },
      ],
    }),
  );
});
beforeEach(() => {
  warnings = [];
  jest.spyOn(Logger.prototype, 'warn').mockImplementation((message: unknown) => void warnings.push(String(message)));
  Object.assign(upstream, { fault: undefined, chats: undefined, times: 1 });
  Object.assign(test.app.get(OpenAiRealtime), { openMs: 5000 });
  for (const list of [upstream.received, upstream.words, upstream.asked, upstream.keys, upstream.urls]) list.length = 0;
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.socket.terminate();
  jest.restoreAllMocks();
  await delay(20);
});
afterAll(async () => {
  delete process.env.PROVIDER_LIVE;
  await test.close();
  upstream.stop();
});

const aTalker = async () => {
  const user_id = aUser();
  const token = await test.token(user_id, project_id);
  const client = await LiveClient.open(port, 'model=voice', token);
  clients.push(client);
  const history = async () =>
    (await test.call({ path: `/chat?user_id=${user_id}&per_page=1000`, token })).body.payload.reverse();
  const administer = (method: 'PUT' | 'POST', path: string, body: object) =>
    test.call({ method, path, token: ADMIN_KEY, body });
  const operate = (body: object) => administer('PUT', `/admin/conversations/${user_id}?project_id=${project_id}`, body);
  const write = (answer: string) =>
    administer('POST', '/admin/messages', { project_id, user_id, avatar_id: 'voice', answer });
  return { client, history, operate, write };
};

const speak = (client: LiveClient, words: string) => {
  upstream.words.push(words);
  client.sendSound(0.5, 1000);
  client.sendSound(0.5, 0);
};
const transcriptOf = ({ response }: any) => response.output[0].content[0].transcript;

describe('an avatar whose answers a full-duplex model speaks', () => {
  it('is heard by it, answers what it delegates by its own engine, and both sides are stored', async () => {
    const { client, history } = await aTalker();
    speak(client, 'What is three and four?');
    const done = await client.next('response.done');
    const heard = await client.next('conversation.item.input_audio_transcription.completed');
    expect(heard.transcript).toBe('What is three and four?');
    const answer = 'Well, The answer to What is three and four is seven.';
    expect(done.response).toMatchObject({ status: 'completed', usage: { input_tokens: 7, output_tokens: 3 } });
    expect(transcriptOf(done)).toBe(answer);
    const deltas = client.of('response.output_audio_transcript.delta').map(({ delta }) => delta);
    expect(deltas.join('').trim()).toBe(answer);
    expect(client.of('response.output_audio.delta').length).toBeGreaterThan(0);
    expect(await history()).toMatchObject([
      { direction: 'outgoing', request: 'What is three and four?', chat_type: 'voice' },
      { direction: 'incoming', answer, _id: done.response.output[0].id },
    ]);
    expect(upstream.asked).toEqual(['What is three and four?']);
    expect(upstream.keys).toEqual([`Bearer ${KEY}`]);
    expect(upstream.urls).toEqual(['/v1/live/sessions']);
    expect(upstream.of('session.start')).toMatchObject([
      {
        session: {
          model: 'gpt-live-1',
          instructions: expect.stringContaining('You are the voice of'),
          audio: { format: { type: 'audio/pcm', rate: 24000 }, output: { voice: 'marin' } },
          delegation: { type: 'client' },
        },
      },
    ]);
    const appended = upstream.of('session.commentary.append').map(({ delegation_id }) => delegation_id);
    expect(new Set(appended)).toEqual(new Set([expect.stringContaining('dlg_')]));
    expect(client.of('error')).toEqual([]);
  });

  it('answers typed words aloud, and in text without it', async () => {
    const { client, history } = await aTalker();
    expect(transcriptOf(await client.answer('one'))).toBe('Well, The answer to one is seven.');
    expect(upstream.of('session.commentary.append')).toMatchObject([{ delegation_id: null }]);
    await client.ask({ type: 'session.update', session: { output_modalities: ['text'] } }, 'session.updated');
    const done = await client.answer('two');
    expect(done.response.output[0].content).toEqual([{ type: 'output_text', text: 'The answer to two is seven.' }]);
    expect(upstream.of('session.commentary.append')).toHaveLength(1);
    expect((await history()).map(({ request, answer }: any) => (answer ?? request).trim())).toEqual([
      'one',
      'Well, The answer to one is seven.',
      'two',
      'The answer to two is seven.',
    ]);
  });

  it('says what the model says by itself', async () => {
    upstream.chats = 'Good morning to you.';
    const { client, history } = await aTalker();
    speak(client, 'Good morning.');
    expect(transcriptOf(await client.next('response.done'))).toBe('Good morning to you.');
    expect(await history()).toMatchObject([{ request: 'Good morning.' }, { answer: 'Good morning to you.' }]);
    expect(upstream.asked).toEqual([]);
  });

  it('is silent while a person has the conversation, whatever the model says by itself', async () => {
    upstream.chats = 'I am here by myself.';
    const { client, history, operate, write } = await aTalker();
    await operate({ state: 'person', name: 'Sam' });
    speak(client, 'Is anybody there?');
    const silent = await client.next('response.done');
    expect(silent.response).toMatchObject({ status: 'cancelled', output: [] });
    const from = client.events.length;
    await write('I am Sam.');
    const done = await client.next('response.done', from);
    expect(done.response.status).toBe('completed');
    expect(transcriptOf(done)).toBe('Well, I am Sam.');
    const texts = (await history()).map(({ request, answer }: any) => answer ?? request);
    expect(texts).toEqual(['Is anybody there?', 'I am Sam.']);
    expect(upstream.asked).toEqual([]);
  });

  it('answers by its own engine what the model leaves unanswered', async () => {
    upstream.chats = '';
    const { client } = await aTalker();
    speak(client, 'one');
    await client.next('conversation.item.input_audio_transcription.delta');
    client.sendSound(1, 0);
    expect(transcriptOf(await client.next('response.done'))).toBe('Well, The answer to one is seven.');
    expect(upstream.of('session.commentary.append')).toMatchObject([{ delegation_id: null }]);
  });

  it('fails if the model does not say what it is told', async () => {
    upstream.fault = 'silent';
    const { client, history } = await aTalker();
    expect((await client.answer('one')).response.status).toBe('failed');
    expect(await history()).toMatchObject([{ request: 'one' }]);
  });

  it('is interrupted by speech', async () => {
    upstream.times = 20;
    const { client, history } = await aTalker();
    speak(client, 'Tell me more.');
    await client.next('response.output_audio_transcript.delta');
    await delay(500);
    const from = client.events.length;
    upstream.times = 1;
    speak(client, 'Stop and tell me that.');
    const done = await client.next('response.done', from);
    expect(done.response).toMatchObject({ status: 'cancelled', status_details: { reason: 'turn_detected' } });
    const next = await client.next('response.done', client.events.indexOf(done) + 1);
    expect(transcriptOf(next)).toBe('Well, The answer to Stop and tell me that is seven.');
    expect(
      (await history()).map(({ request, answer }: any) => (answer === undefined ? request : answer.length < 300)),
    ).toEqual(['Tell me more.', true, 'Stop and tell me that.', true]);
  });

  it('takes manual turns', async () => {
    const { client, history } = await aTalker();
    await client.ask(
      { type: 'session.update', session: { audio: { input: { turn_detection: null } } } },
      'session.updated',
    );
    speak(client, 'by hand');
    const done = await (client.send({ type: 'input_audio_buffer.commit' }),
    client.ask({ type: 'response.create' }, 'response.done'));
    expect(done.response.status).toBe('completed');
    expect(client.of('input_audio_buffer.speech_started')).toEqual([]);
    expect((await history())[0]).toMatchObject({ request: 'by hand' });
  });

  it.each<[LiveFault]>([['refuses'], ['mute'], ['garbage'], ['rejects']])(
    'fails with its own error if the server %s, and answers again afterwards',
    async (fault) => {
      upstream.fault = fault;
      Object.assign(test.app.get(OpenAiRealtime), { openMs: 400 });
      const { client, history } = await aTalker();
      expect((await client.answer('hello')).response.status).toBe('failed');
      upstream.fault = undefined;
      Object.assign(test.app.get(OpenAiRealtime), { openMs: 5000 });
      expect((await client.answer('hello again')).response.status).toBe('completed');
      expect((await history()).at(-1).answer).toBe('Well, The answer to hello again is seven.');
      expect(JSON.stringify(client.events) + warnings.join()).not.toContain('secret');
      expect(warnings.length).toBeGreaterThan(0);
    },
  );

  it('goes on if the server is lost', async () => {
    const { client } = await aTalker();
    await client.answer('before');
    const from = client.events.length;
    upstream.drop();
    expect((await client.next('error', from)).error.code).toBe('engine_failed');
    expect((await client.answer('after')).response.status).toBe('completed');
  });
});
