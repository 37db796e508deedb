import { randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { getConnectionToken } from '@nestjs/mongoose';
import jwt from 'jsonwebtoken';
import type { Connection } from 'mongoose';
import { CatalogueService } from '../../src/index.js';
import { type TranscriptionEvent, type TranscriptionStream } from 'avatar-chat-media';
import { SpeechService } from '../../src/speech/index.js';
import { PUPPET, PuppetEngine, PuppetModule } from '../support/engines.js';
import { anyServer, aProject, aUser, createTestApp, type TestApp } from '../support/index.js';
import { addLiveAvatar, LiveClient, type LiveEvent } from '../support/live-client.js';
import { MetronomeModule, RATE, WORD } from '../support/metronome.js';

let test: TestApp;
/** A service whose limits are low. */
let strict: TestApp;
let port: number;
const project_id = aProject();
const greeting = aProject();
const clients: LiveClient[] = [];

beforeAll(async () => {
  test = await createTestApp({
    server: anyServer(),
    modules: [PuppetModule, MetronomeModule],
    config: { liveSessions: 8 },
  });
  port = await test.listen();
  const project = {
    avatars: ['live', 'puppet'],
    languages: ['en', 'de'],
    speech: { speaker: { kind: 'metronome' }, transcriber: { kind: 'none' } },
    settings: { messageTimeoutSeconds: 5 },
  };
  await test.app.get(CatalogueService).apply(
    JSON.stringify({
      avatars: [{ ...PUPPET, _id: 'live', hasLiveMode: true }, PUPPET],
      projects: [
        { ...project, project_id },
        { ...project, project_id: greeting, settings: { greet: true } },
      ],
    }),
  );
  strict = await startWith({ jwtTtlSeconds: 10, livePingSeconds: 1, rateLimits: { enabled: true, turns: 2 } });
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.socket.terminate();
  await delay(20);
});
afterAll(async () => {
  await strict.close();
  await test.close();
});

const aTalker = async (query = 'model=live', project = project_id) => {
  const user_id = aUser();
  const token = await test.token(user_id, project);
  const client = await LiveClient.open(port, query, token);
  clients.push(client);
  const history = async () =>
    (await test.call({ path: `/chat?user_id=${user_id}&per_page=1000`, token })).body.payload.reverse();
  return { client, token, user_id, history };
};

/** A service with other settings, where the avatar is `live`. */
const startWith = async (config: object): Promise<TestApp> => {
  const app = await createTestApp({ server: anyServer(), modules: [PuppetModule, MetronomeModule], config });
  await app.listen();
  await addLiveAvatar(app, project_id);
  return app;
};

/** A session of one. */
const sessionOf = async (app: TestApp) => {
  const user_id = aUser();
  const token = await app.token(user_id, project_id);
  const { port: at } = app.app.getHttpServer().address() as AddressInfo;
  const client = await LiveClient.open(at, 'model=live', token);
  clients.push(client);
  return { client, token, user_id };
};

/** Requests an upgrade. @returns the error */
const refusal = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<any> =>
  new Promise((resolve, reject) => {
    const upgrade = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    };
    const request = httpRequest({ port, path, method, headers: { ...upgrade, ...headers } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode,
          headers: response.headers,
          ...JSON.parse(Buffer.concat(chunks).toString() || '{}'),
        }),
      );
    });
    request.on('upgrade', (_response, socket) => {
      socket.destroy();
      resolve({ status: 101 });
    });
    request.on('error', reject);
    request.end();
  });

describe('a live session is opened', () => {
  it.each<[name: string, path: string, status: number, error: string]>([
    ['at another path', '/v1/other?model=live', 404, 'not_found'],
    ['without a model', '/v1/realtime', 400, 'invalid_avatar_id'],
    ['with a malformed model', '/v1/realtime?model=a%2Fb', 400, 'invalid_avatar_id'],
    ['with two', '/v1/realtime?model=live&model=live', 400, 'invalid_avatar_id'],
    ['with an unknown avatar', '/v1/realtime?model=nobody', 404, 'avatar_not_found'],
    ['with an avatar without live mode', '/v1/realtime?model=puppet', 400, 'live_mode_unavailable'],
    ['in another language', '/v1/realtime?model=live&language_code=xx', 400, 'invalid_language_code'],
    ['in two', '/v1/realtime?model=live&language_code=en&language_code=de', 400, 'invalid_language_code'],
    ['with an unknown session', '/v1/realtime?model=live&session=x', 400, 'invalid_session'],
    ['with two sessions', '/v1/realtime?model=live&session=x&session=y', 400, 'invalid_session'],
  ])('not %s', async (_, path, status, error) => {
    const token = await test.token(aUser(), project_id);
    const answer = await refusal(path, { authorization: `Bearer ${token}` });
    expect(answer).toMatchObject({ status, error, result: 'failure' });
    expect(answer.headers['x-request-id']).toBe(answer.request_id);
    // Without live mode, it is a request like any other.
    if (error !== 'not_found') expect(answer.headers.connection).toBe('close');
  });

  it.each<[name: string, headers: Record<string, string>]>([
    ['a bad key', { 'sec-websocket-key': 'short' }],
    ['an unknown version', { 'sec-websocket-version': '12' }],
    ['a malformed subprotocol', { 'sec-websocket-protocol': 'realtime,,x' }],
    ['the same subprotocol twice', { 'sec-websocket-protocol': 'realtime, realtime' }],
  ])('not with %s, and the session that it names stays', async (_, headers) => {
    const { client, token } = await aTalker();
    const { id } = client.of('session.created')[0]!.session;
    const path = `/v1/realtime?model=live&resume=${id}`;
    const answer = await refusal(path, { authorization: `Bearer ${token}`, ...headers });
    expect(answer).toMatchObject({ status: 400, error: 'bad_request' });
    expect(answer.headers['x-request-id']).toBe(answer.request_id);
    await client.ask({ type: 'session.update', session: {} }, 'session.updated');
  });

  it('not by another method than GET', async () => {
    const token = await test.token(aUser(), project_id);
    const answer = await refusal('/v1/realtime?model=live', { authorization: `Bearer ${token}` }, 'HEAD');
    expect(answer.status).toBe(400);
    expect(answer.headers).toMatchObject({
      'content-type': expect.stringContaining('json'),
      'x-request-id': expect.any(String),
    });
  });

  it('not by a plain request, with or without a token', async () => {
    for (const token of [undefined, await test.token(aUser(), project_id)]) {
      const answer = await test.call({ path: '/v1/realtime?model=live', token });
      expect(answer).toMatchObject({ status: 426, body: { error: 'upgrade_required' } });
      expect(answer.headers.upgrade).toBe('websocket');
    }
  });

  it('by a token in the header or as a subprotocol, and never in the URL', async () => {
    const token = await test.token(aUser(), project_id);
    const path = '/v1/realtime?model=live';
    const offer = (secret: string) => ({ 'sec-websocket-protocol': `realtime, openai-insecure-api-key.${secret}` });
    expect(await refusal(path, { authorization: `Bearer ${token}` })).toEqual({ status: 101 });
    expect(await refusal(path, offer(token))).toEqual({ status: 101 });
    expect(await refusal(`${path}&token=${token}`)).toMatchObject({ status: 401, error: 'missing_token' });
    for (const bad of ['ek_', `ek_${token}`, 'ek_a.b.c', `${token}x`])
      expect(await refusal(path, { authorization: `Bearer ${bad}` })).toMatchObject({ error: 'invalid_token' });
    const refused = await refusal(path, offer('ek_'));
    expect(refused).toMatchObject({ status: 401, error: 'invalid_token' });
    expect(refused.headers['www-authenticate']).toContain('Bearer');
  });

  it('not by an expired token', async () => {
    const token = await test.token(aUser(), project_id);
    const { exp, ...claims } = jwt.decode(token) as Record<string, unknown>;
    const now = Math.floor(test.clock.now() / 1000);
    const header = JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString());
    const old = jwt.sign({ ...claims, iat: now - 100, exp: now - 1 }, test.config.jwtSecret, { header });
    expect(exp).toBeDefined();
    expect(await refusal('/v1/realtime?model=live', { authorization: `Bearer ${old}` })).toMatchObject({
      status: 403,
      error: 'token_expired',
    });
  });

  describe('with a client secret', () => {
    const path = '/v1/realtime?model=live';
    const obtain = async (body?: object, token?: string) => {
      token ??= await test.token(aUser(), project_id);
      const { status, body: got } = await test.call({
        method: 'POST',
        path: '/v1/realtime/client_secrets',
        token,
        body,
      });
      return { status, ...got, token };
    };
    const open = (value: string, at = path) => refusal(at, { authorization: `Bearer ${value}` });
    const now = () => Math.floor(test.clock.now() / 1000);

    it('which is a token of its own, valid for nothing else', async () => {
      const { value, token, session } = await obtain();
      expect(session).toMatchObject({ object: 'realtime.session', model: 'live', id: expect.stringMatching(/^sess_/) });
      expect(await open(value)).toEqual({ status: 101 });
      expect(await refusal(path, { 'sec-websocket-protocol': `openai-insecure-api-key.${value}` })).toEqual({
        status: 101,
      });
      const bare = value.slice('ek_'.length);
      expect(bare).not.toBe(token);
      for (const secret of [value, bare]) {
        expect(await test.call({ path: '/connection', token: secret })).toMatchObject({ status: 401 });
        const again = { method: 'POST', path: '/v1/realtime/client_secrets', token: secret } as const;
        expect(await test.call(again)).toMatchObject({ status: 401 });
      }
      expect(await open(bare)).toMatchObject({ status: 401, error: 'invalid_token' });
      expect(await open(`${value}x`)).toMatchObject({ status: 401, error: 'invalid_token' });
    });

    it('for 10 to 600 seconds; an expired one is no longer a token', async () => {
      const lasting = async (body?: object) => (await obtain(body)).expires_at - now();
      expect(await lasting()).toBeCloseTo(600, -1);
      for (const [seconds, wanted] of [
        [1, 10],
        [60, 60],
        [60.5, 60],
        [7200, 600],
        [null, 600],
      ])
        expect(await lasting({ expires_after: { anchor: 'created_at', seconds } })).toBeCloseTo(wanted!, -0.5);
      const { value } = await obtain({ expires_after: { seconds: 10 } });
      test.clock.advance(11_000);
      expect(await open(value)).toMatchObject({ status: 401, error: 'invalid_token' });
    });

    it('that has the configuration of the session, and of its avatar alone', async () => {
      const given = { type: 'realtime', model: 'live', output_modalities: ['text'] };
      const { value, session } = await obtain({ session: given });
      expect(session.output_modalities).toEqual(['text']);
      const client = await LiveClient.open(port, 'model=live', value);
      clients.push(client);
      expect(client.events[0]!.session).toEqual({ ...session, id: expect.any(String), expires_at: expect.any(Number) });
      expect(await open(value, '/v1/realtime?model=puppet')).toMatchObject({ status: 400 });
      expect(await obtain({ session: { model: 'nobody' } })).toMatchObject({ status: 404, error: 'avatar_not_found' });
      expect(await obtain({ session: { model: 'puppet' } })).toMatchObject({ error: 'live_mode_unavailable' });
      for (const session of [{ audio: 7 }, 'x'])
        expect(await obtain({ session })).toMatchObject({ status: 400, error: 'invalid_session' });
      const noise = randomBytes(9000).toString('base64');
      expect(await obtain({ session: { instructions: noise } })).toMatchObject({ status: 413 });
    });

    it('whose session lasts as long as the token of the caller', async () => {
      const { value, token } = await obtain();
      const client = await LiveClient.open(port, 'model=live', value);
      clients.push(client);
      expect(client.events[0]!.session.expires_at).toBe((jwt.decode(token) as { exp: number }).exp);
    });
  });

  it('while there is a free slot; authorization errors are reported first', async () => {
    const talkers = [];
    for (let n = 0; n < 8; n++) talkers.push(await aTalker());
    const token = await test.token(aUser(), project_id);
    const full = await refusal('/v1/realtime?model=live', { authorization: `Bearer ${token}` });
    expect(full).toMatchObject({ status: 503, error: 'service_unavailable' });
    expect(Number(full.headers['retry-after'])).toBeGreaterThan(0);
    expect(await refusal('/v1/realtime?model=live', { authorization: 'Bearer x' })).toMatchObject({ status: 401 });
    await talkers[0]!.client.close();
    await delay(50);
    expect(await refusal('/v1/realtime?model=live', { authorization: `Bearer ${token}` })).toEqual({ status: 101 });
  });

  it('and other protocols are not: the request is handled as if it had not asked for one', async () => {
    const status = await new Promise((resolve, reject) => {
      const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': '' };
      httpRequest({ port, path: '/health/live', headers }, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end();
    });
    expect(status).toBe(200);
  });
});

describe('a session', () => {
  it('starts with its description, and echoes changes', async () => {
    const { client } = await aTalker('model=live&language_code=de&something=else');
    const [{ session }] = client.events as [LiveEvent];
    expect(session).toMatchObject({
      type: 'realtime',
      object: 'realtime.session',
      model: 'live',
      output_modalities: ['audio'],
      audio: {
        input: {
          format: { type: 'audio/pcm', rate: 24000 },
          transcription: null,
          turn_detection: {
            type: 'server_vad',
            silence_duration_ms: 500,
            create_response: true,
            interrupt_response: true,
          },
        },
        output: { format: { type: 'audio/pcm', rate: 24000 } },
      },
    });
    const updated = await client.ask(
      {
        type: 'session.update',
        session: {
          tools: [],
          unknown: 1,
          audio: {
            input: { turn_detection: { type: 'semantic_vad' }, transcription: { language: 'en' } },
            output: { format: { type: 'audio/pcmu' } },
          },
        },
      },
      'session.updated',
    );
    expect(updated.session).toMatchObject({
      id: session.id,
      audio: {
        input: { turn_detection: { type: 'semantic_vad', silence_duration_ms: 500 } },
        output: { format: { type: 'audio/pcmu' } },
      },
    });
    const off = { audio: { input: { turn_detection: null } } };
    const push = await client.ask({ type: 'session.update', session: off }, 'session.updated');
    expect(push.session.audio.input.turn_detection).toBeNull();
  });

  it.each([
    { output_modalities: ['video'] },
    { output_modalities: 'audio' },
    { chat_type: 'text' },
    { audio: 7 },
    { audio: { input: { format: { type: 'audio/mp3' } } } },
    { audio: { input: { transcription: { language: 7 } } } },
    { audio: { input: { turn_detection: { type: 'none' } } } },
    { audio: { input: { turn_detection: { silence_duration_ms: '500' } } } },
    { audio: { input: { turn_detection: { threshold: 'high' } } } },
    { audio: { input: { turn_detection: { create_response: 'yes' } } } },
  ])('refuses %j with one error, and nothing changes', async (session) => {
    const { client } = await aTalker();
    const error = await client.ask({ type: 'session.update', event_id: 'mine', session }, 'error');
    expect(error.error).toMatchObject({ type: 'invalid_request_error', code: 'invalid_value', event_id: 'mine' });
    const after = await client.ask({ type: 'session.update', session: {} }, 'session.updated');
    expect(after.session).toEqual(client.events[0]!.session);
    expect(client.of('error')).toHaveLength(1);
  });

  it.each(['{', '[]', '7', 'null', '{"type":"unknown"}', '{}', '{"type":"input_audio_buffer.append","audio":"%%"}'])(
    'continues after %s',
    async (message) => {
      const { client } = await aTalker();
      client.socket.send(message);
      const { error } = await client.next('error');
      expect(error.type).toBe('invalid_request_error');
      expect((await client.ask({ type: 'session.update', session: {} }, 'session.updated')).session).toBeDefined();
    },
  );

  it('accepts a message of 192 kB, and closes with 1009 above 1 MiB', async () => {
    const { client } = await aTalker();
    client.send({ type: 'input_audio_buffer.append', audio: Buffer.alloc(144_000).toString('base64') });
    expect(await client.ask({ type: 'input_audio_buffer.clear' }, 'input_audio_buffer.cleared')).toBeDefined();
    client.socket.send('x'.repeat(1_100_000));
    expect(await client.closed).toMatchObject({ code: 1009 });
  });

  it('gives each event a unique identifier', async () => {
    const { client } = await aTalker();
    client.say('Hello');
    await client.next('response.done');
    const ids = client.events.map(({ event_id }) => event_id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('that a client has lost continues for its own user', async () => {
    const { client, token } = await aTalker();
    const { id } = client.events[0]!.session;
    client.say('Hello');
    await client.next('response.done');
    client.socket.terminate();
    await delay(100);
    const other = await aTalker(`model=live&resume=${id}`);
    expect(other.client.events[0]!.session.id).not.toBe(id);
    const again = await LiveClient.open(port, `model=live&resume=${id}`, token);
    clients.push(again);
    expect(again.events[0]).toMatchObject({ resumed: true, session: { id } });
    const user = client.of('conversation.item.added')[0]!.item.id;
    expect(
      await again.ask({ type: 'conversation.item.retrieve', item_id: user }, 'conversation.item.retrieved'),
    ).toMatchObject({ item: { role: 'user', content: [{ text: 'Hello' }] } });
  });

  it('that a client has lost answers what it had asked, and then what it asks as soon as it is back', async () => {
    const { client, token, history } = await aTalker();
    const { id } = client.events[0]!.session;
    client.say('wait 300 one');
    await client.next('response.created');
    client.socket.terminate();
    await delay(100);
    const again = await LiveClient.open(port, `model=live&resume=${id}`, token);
    clients.push(again);
    again.say('two');
    await again.next('response.done', again.events.indexOf(await again.next('response.done')) + 1);
    expect(again.of('response.output_audio_transcript.done').map(({ transcript }) => transcript)).toEqual([
      'You said: wait 300 one',
      'You said: two',
    ]);
    expect(again.of('error')).toEqual([]);
    expect(await history()).toHaveLength(4);
  });
});

describe('an answer', () => {
  it('comes in the order of the protocol, and is stored as spoken', async () => {
    const { client, history } = await aTalker();
    const wanted = { animation: { outputs: ['viseme_id'] }, output_audio_timestamp_types: ['word'] };
    const { session } = await client.ask({ type: 'session.update', session: wanted }, 'session.updated');
    expect(session).toMatchObject(wanted);
    client.say('one two three');
    const { response } = await client.next('response.done');
    const order = client.types().filter((type, at, all) => type !== all[at - 1]);
    expect(order).toEqual([
      'session.created',
      'session.updated',
      'conversation.item.added',
      'conversation.item.done',
      'response.created',
      'response.output_item.added',
      'conversation.item.added',
      'response.content_part.added',
      'response.output_audio_transcript.delta',
      'response.animation_viseme.delta',
      'response.audio_timestamp.delta',
      'response.output_audio.delta',
      'response.output_audio.done',
      'response.output_audio_transcript.done',
      'response.content_part.done',
      'response.output_item.done',
      'conversation.item.done',
      'response.done',
    ]);
    const said = 'You said: one two three';
    expect(response).toMatchObject({
      object: 'realtime.response',
      status: 'completed',
      output: [{ role: 'assistant', status: 'completed', content: [{ transcript: said }] }],
    });
    const words = client.of('response.audio_timestamp.delta');
    expect(words.map(({ text }) => text).join('')).toBe(said);
    const sound = client.of('response.output_audio.delta').map(({ delta }) => Buffer.from(delta, 'base64'));
    expect(Buffer.concat(sound).length / 2 / RATE).toBeCloseTo(5 * WORD);
    const item_id = response.output[0].id;
    for (const event of client.events.filter(({ type }) => /^response\..*(delta|part\.\w+)$/.test(type)))
      expect(event).toMatchObject({ response_id: response.id, item_id, output_index: 0, content_index: 0 });
    expect(await history()).toMatchObject([
      { direction: 'outgoing', request: 'one two three', chat_type: 'voice' },
      { _id: item_id, direction: 'incoming', request: 'one two three', answer: said, chat_type: 'voice' },
    ]);
    expect((await history())[1]).not.toHaveProperty('fileUrl');
  });

  it('to nothing said yet is the greeting, in the language of the session, stored if the project stores greetings', async () => {
    const { client, history } = await aTalker();
    const done = await client.ask({ type: 'response.create' }, 'response.done');
    expect(done.response.output[0].content[0].transcript).toBe('At your service.');
    expect(await history()).toEqual([]);
    const { error } = await client.ask({ type: 'response.create', event_id: 'again' }, 'error');
    expect(error).toMatchObject({ code: 'nothing_to_answer', event_id: 'again' });
    const greeted = await aTalker('model=live', greeting);
    await greeted.client.ask({ type: 'response.create' }, 'response.done');
    const once = [{ direction: 'incoming', request: '', answer: 'At your service.' }];
    expect(await greeted.history()).toMatchObject(once);
    const again = await LiveClient.open(port, 'model=live', greeted.token);
    clients.push(again);
    expect((await again.ask({ type: 'response.create' }, 'response.done')).response.status).toBe('completed');
    const { item_id } = again.of('response.output_audio.delta')[0]!;
    const cut = { type: 'conversation.item.truncate', item_id, content_index: 0, audio_end_ms: 0 };
    await again.ask(cut, 'conversation.item.truncated');
    expect(await greeted.history()).toMatchObject(once);
  });

  it('as text has no audio', async () => {
    const { client } = await aTalker();
    client.send({ type: 'session.update', session: { output_modalities: ['text'] } });
    client.say('one two');
    const { response } = await client.next('response.done');
    expect(response.output[0].content).toEqual([{ type: 'output_text', text: 'You said: one two' }]);
    expect(
      client
        .of('response.output_text.delta')
        .map(({ delta }) => delta)
        .join(''),
    ).toBe('You said: one two');
    expect(client.types()).not.toContain('response.output_audio.delta');
  });

  it('in G.711 has eight thousand bytes per second', async () => {
    const { client } = await aTalker();
    client.send({ type: 'session.update', session: { audio: { output: { format: { type: 'audio/pcmu' } } } } });
    client.say('one two three');
    await client.next('response.done');
    const bytes = client.of('response.output_audio.delta').map(({ delta }) => Buffer.from(delta, 'base64').length);
    expect(bytes.reduce((sum, length) => sum + length, 0)).toBe(5 * WORD * 8000);
  });

  it('is one at a time', async () => {
    const { client } = await aTalker();
    client.say('one two three');
    const { error } = await client.ask({ type: 'response.create' }, 'error');
    expect(error.code).toBe('conversation_already_has_active_response');
    expect((await client.next('response.done')).response.status).toBe('completed');
  });

  it('counts as a turn for the rate limit: one too many is an error, and nothing of it is stored', async () => {
    const { client, token, user_id } = await sessionOf(strict);
    for (const text of ['one', 'two']) {
      await client.answer(text);
    }
    client.say('three');
    const { error } = await client.next('error');
    expect(error).toMatchObject({ code: 'rate_limited' });
    expect(client.of('response.created')).toHaveLength(2);
    const { body } = await strict.call({ path: `/chat?user_id=${user_id}`, token });
    expect(body.payload).toHaveLength(4);
  });

  it("whose engine fails is failed, is reported, and may be requested again, with the user's message stored once", async () => {
    const { client, history } = await aTalker();
    client.say('fail-once x');
    const failed = await client.next('response.done');
    expect(failed.response).toMatchObject({
      status: 'failed',
      status_details: { error: { code: 'engine_failed', type: 'server_error' } },
    });
    const again = await client.ask({ type: 'response.create' }, 'response.done');
    expect(again.response.status).toBe('completed');
    expect((await history()).map(({ direction }: { direction: string }) => direction)).toEqual([
      'outgoing',
      'incoming',
    ]);
  });

  it('whose speaker fails midway keeps what was said before', async () => {
    const { client, history } = await aTalker();
    client.say('One two. This is unspeakable. Three.');
    const { response } = await client.next('response.done');
    expect(response.status).toBe('failed');
    expect((await history())[1]).toMatchObject({ answer: 'You said: One two.' });
  });

  it('whose speaker fails at once leaves nothing, and may be requested again', async () => {
    const { client, history } = await aTalker();
    client.say('unspeakable');
    for (const ask of [
      () => client.next('response.done'),
      () => client.ask({ type: 'response.create' }, 'response.done'),
    ]) {
      expect((await ask()).response).toMatchObject({ status: 'failed', output: [] });
      expect(await history()).toMatchObject([{ direction: 'outgoing' }]);
    }
  });
});

it.each([
  ['an answer', project_id, 2],
  ['a greeting', greeting, 1],
])('%s belongs to the session of GET /connection that it is tied to', async (name, project, stored) => {
  const user_id = aUser();
  const token = await test.token(user_id, project);
  const { session } = (await test.call({ path: `/connection?user_id=${user_id}`, token })).body;
  const client = await LiveClient.open(port, `model=live&session=${session}`, token);
  clients.push(client);
  if (name === 'an answer') client.say('one');
  else client.send({ type: 'response.create' });
  await client.next('response.done');
  const messages = test.app.get<Connection>(getConnectionToken()).collection('messages');
  expect((await messages.find({ project_id: project, user_id }).toArray()).map((message) => message.session)).toEqual(
    Array(stored).fill(session),
  );
});

describe('an answer is truncated', () => {
  const long = Array.from({ length: 200 }, (_, n) => `w${n}`).join(' ');
  /** A word takes 100 ms. @param since before the first was played, by `performance.now` */
  const expectPlayed = (words: readonly string[], since: number) => {
    expect(words.length).toBeGreaterThan(2);
    expect(words.length).toBeLessThan((performance.now() - since) / 100 + 2);
  };

  it('by a cancellation: after what was played', async () => {
    const { client, history } = await aTalker();
    const began = performance.now();
    client.say(long);
    await client.next('response.output_audio.delta');
    await delay(600);
    const from = client.events.length;
    const { response } = await client.ask({ type: 'response.cancel' }, 'response.done');
    expect(response).toMatchObject({ status: 'cancelled', status_details: { reason: 'client_cancelled' } });
    await delay(200);
    // What was sent before the cancellation arrived may come first.
    const types = client.types(from);
    expect(types.slice(types.indexOf('response.output_audio.done'))).not.toContain('response.output_audio.delta');
    const words = (await history())[1].answer.split(' ');
    expectPlayed(words, began);
    expect(`You said: ${long}`.startsWith(words.join(' '))).toBe(true);
  });

  it('before its first audio: nothing of it is stored, and the engine is stopped', async () => {
    const { client, history } = await aTalker();
    client.say('hang live');
    const engine = test.app.get(PuppetEngine);
    while (!engine.asked.some(({ request }) => request === 'hang live')) await delay(10);
    const { response } = await client.ask({ type: 'response.cancel' }, 'response.done');
    expect(response).toMatchObject({ status: 'cancelled', output: [] });
    expect(await history()).toMatchObject([{ direction: 'outgoing' }]);
    while (!engine.stopped.includes('hang live')) await delay(10);
    const { error } = await client.ask({ type: 'response.cancel', event_id: 'x' }, 'error');
    expect(error).toMatchObject({ type: 'invalid_request_error', event_id: 'x' });
  });

  it('where the client says, within its audio, and never extended again', async () => {
    const { client, history } = await aTalker();
    client.say('one two three');
    const { response } = await client.next('response.done');
    const [{ id: item_id }] = response.output;
    const truncate = (audio_end_ms: unknown, item = item_id) => ({
      type: 'conversation.item.truncate',
      item_id: item,
      content_index: 0,
      audio_end_ms,
    });
    const cut = async (audio_end_ms: number) =>
      (await client.ask(truncate(audio_end_ms), 'conversation.item.truncated')).audio_end_ms;
    expect(await cut(60_000)).toBe(500);
    expect((await history())[1].answer).toBe('You said: one two three');
    expect(await cut(350)).toBe(350);
    expect((await history())[1].answer).toBe('You said: one');
    await cut(450);
    expect((await history())[1].answer).toBe('You said: one');
    expect(await cut(-5)).toBe(0);
    expect((await history())[1].answer).toBe('');
    const shown = await client.ask({ type: 'conversation.item.retrieve', item_id }, 'conversation.item.retrieved');
    expect(shown.item.content[0].transcript).toBe('');
    const user = client.of('conversation.item.added')[0]!.item.id;
    const elsewhere = { ...truncate(100), content_index: 'x' };
    for (const bad of [truncate('soon'), elsewhere, truncate(100, user), truncate(100, 'nobody')])
      expect((await client.ask(bad, 'error')).error.type).toBe('invalid_request_error');
  });

  it('by a client that is gone: after what was played', async () => {
    const { client, history } = await aTalker();
    const began = performance.now();
    client.say(long);
    await client.next('response.output_audio.delta');
    await delay(500);
    client.socket.terminate();
    await delay(300);
    expectPlayed((await history())[1].answer.split(' '), began);
  });
});

it('an answer that is too long to be spoken is complete, and its first 4,000 characters have sound', async () => {
  const { client, history } = await aTalker();
  const sound = jest.spyOn(test.app.get(SpeechService, { strict: false }), 'sound').mockResolvedValue({
    samples: new Int16Array(240),
    phonemes: [],
    words: [],
  });
  const long = Array.from({ length: 500 }, (_, n) => `Sentence ${n}.`).join(' ');
  client.say(long);
  const { response } = await client.next('response.done');
  const spoken = sound.mock.calls.reduce((sum, [, { text }]) => sum + text.trim().length, 0);
  sound.mockRestore();
  expect(spoken).toBeLessThanOrEqual(4000);
  expect(spoken).toBeGreaterThan(3900);
  expect(response).toMatchObject({ status: 'completed' });
  expect((await history())[1].answer).toBe(response.output[0].content[0].transcript);
  expect(response.output[0].content[0].transcript).toMatch(/Sentence 499\.$/);
});

describe('speech', () => {
  let hear: (heard: TranscriptionEvent) => void;
  const pushed: number[] = [];
  const listener: TranscriptionStream = {
    push: (samples) => void pushed.push(samples.length),
    configure: () => undefined,
    commit: () => true,
    clear: () => undefined,
    close: () => undefined,
  };
  beforeEach(() => {
    jest.spyOn(test.app.get(SpeechService, { strict: false }), 'listen').mockImplementation(async (_s, _o, heard) => {
      hear = heard;
      return listener;
    });
  });
  afterEach(() => jest.restoreAllMocks());
  const long = Array.from({ length: 40 }, (_, n) => `w${n}`).join(' ');
  const speak = (utterance: number, text: string) => {
    hear({ utterance, event: 'started', at: 100 });
    hear({ utterance, event: 'partial', text: text.split(' ')[0]! });
    hear({ utterance, event: 'stopped', at: 900 });
    hear({ utterance, event: 'final', text });
  };

  it('becomes an item, its transcript, and an answer', async () => {
    const { client, history } = await aTalker();
    expect(client.events[0]!.session.audio.input.transcription).toMatchObject({ language: 'en' });
    speak(1, 'one two');
    await client.next('response.done');
    const started = client.of('input_audio_buffer.speech_started')[0]!;
    expect(started).toMatchObject({ audio_start_ms: 100 });
    const { item_id } = started;
    for (const type of ['speech_stopped', 'committed'])
      expect(client.of(`input_audio_buffer.${type}`)[0]).toMatchObject({ item_id });
    expect(client.of('conversation.item.added')[0]).toMatchObject({ item: { id: item_id }, previous_item_id: null });
    const completed = client.of('conversation.item.input_audio_transcription.completed')[0]!;
    expect(completed).toMatchObject({ item_id, content_index: 0, transcript: 'one two' });
    expect(await history()).toMatchObject([{ request: 'one two' }, { answer: 'You said: one two' }]);
  });

  it('whose transcript comes when the client is gone is answered when it is back', async () => {
    const { client, token, history } = await aTalker();
    const { id } = client.events[0]!.session;
    hear({ utterance: 1, event: 'started', at: 100 });
    hear({ utterance: 1, event: 'stopped', at: 900 });
    const { item_id } = await client.next('input_audio_buffer.committed');
    const hearLate = hear;
    client.socket.terminate();
    await delay(100);
    hearLate({ utterance: 1, event: 'final', text: 'one two' });
    const again = await LiveClient.open(port, `model=live&resume=${id}`, token);
    clients.push(again);
    expect((await again.next('response.done')).response).toMatchObject({ status: 'completed' });
    const { item } = await again.ask({ type: 'conversation.item.retrieve', item_id }, 'conversation.item.retrieved');
    expect(item.content).toEqual([{ type: 'input_audio', transcript: 'one two' }]);
    expect(await history()).toMatchObject([{ request: 'one two' }, { answer: 'You said: one two' }]);
  });

  it('without words leaves nothing', async () => {
    const { client, history } = await aTalker();
    speak(1, '');
    await client.next('conversation.item.deleted');
    // Some clients wait for a response to each turn.
    expect((await client.next('response.done')).response).toMatchObject({ status: 'completed', output: [] });
    expect(client.of('response.created')).toHaveLength(1);
    expect(await history()).toEqual([]);
  });

  it('over the avatar interrupts it with the first word that has content', async () => {
    const { client, history } = await aTalker();
    client.say(long);
    await client.next('response.output_audio.delta');
    await delay(400);
    hear({ utterance: 1, event: 'started', at: 100 });
    await client.next('input_audio_buffer.speech_started');
    const from = client.events.length;
    hear({ utterance: 1, event: 'partial', text: 'wait' });
    const { response } = await client.next('response.done', from);
    expect(response).toMatchObject({ status: 'cancelled', status_details: { reason: 'turn_detected' } });
    expect(client.types(from)).not.toContain('response.output_audio.delta');
    expect((await history())[1].answer.split(' ').length).toBeLessThan(20);
    hear({ utterance: 1, event: 'stopped', at: 700 });
    hear({ utterance: 1, event: 'final', text: 'wait a moment' });
    const next = await client.next('response.done', from + client.types(from).indexOf('response.done') + 1);
    expect(next.response.output[0].content[0].transcript).toBe('You said: wait a moment');
  });

  it('that goes on before its answer has begun is answered as a whole', async () => {
    const { client, history } = await aTalker();
    speak(1, 'wait 400 ms');
    await client.next('response.created');
    hear({ utterance: 2, event: 'started', at: 1200 });
    hear({ utterance: 2, event: 'partial', text: 'for me' });
    expect((await client.next('response.done')).response).toMatchObject({ status: 'cancelled', output: [] });
    const from = client.events.length;
    hear({ utterance: 2, event: 'stopped', at: 1900 });
    hear({ utterance: 2, event: 'final', text: 'for me please' });
    const { response } = await client.next('response.done', from);
    expect(response.output[0].content[0].transcript).toBe('You said: wait 400 ms for me please');
    expect(await history()).toMatchObject([
      { request: 'wait 400 ms' },
      { request: 'for me please' },
      { request: 'for me please', answer: 'You said: wait 400 ms for me please' },
    ]);
  });

  it('that is only a backchannel lets the avatar continue', async () => {
    const { client, history } = await aTalker();
    client.say('one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen');
    await client.next('response.output_audio.delta');
    speak(1, 'mhm');
    const { response } = await client.next('response.done');
    expect(response.status).toBe('completed');
    expect(client.of('conversation.item.input_audio_transcription.delta')).toEqual([]);
    await delay(50);
    expect(await history()).toHaveLength(2);
  });

  it('that is a cough lets the avatar continue, though the end of the turn is only known later', async () => {
    const { client } = await aTalker();
    client.say('one two three four five six seven eight nine ten');
    await client.next('response.output_audio.delta');
    hear({ utterance: 1, event: 'started', at: 100 });
    hear({ utterance: 1, event: 'paused' });
    hear({ utterance: 1, event: 'resumed' });
    hear({ utterance: 1, event: 'paused' });
    // Longer than somebody may speak without a word.
    await delay(800);
    hear({ utterance: 1, event: 'stopped', at: 700 });
    hear({ utterance: 1, event: 'final', text: '' });
    expect((await client.next('response.done')).response.status).toBe('completed');
    expect(client.of('response.created')).toHaveLength(1);
  });

  it('neither interrupts nor is answered if the client disables both', async () => {
    const { client } = await aTalker();
    const turn_detection = { interrupt_response: false, create_response: false };
    client.send({ type: 'session.update', session: { audio: { input: { turn_detection } } } });
    await client.next('session.updated');
    client.say('one two three four');
    await client.next('response.output_audio.delta');
    speak(1, 'stop that');
    expect((await client.next('response.done')).response.status).toBe('completed');
    await delay(100);
    expect(client.of('response.created')).toHaveLength(1);
    const { response } = await client.ask({ type: 'response.create' }, 'response.created').then(() => {
      const from = client.events.length;
      return client.next('response.done', from);
    });
    expect(response.output[0].content[0].transcript).toBe('You said: stop that');
  });

  it('by push to talk is a turn when it is committed, and is answered on request', async () => {
    const { client } = await aTalker();
    client.send({ type: 'session.update', session: { audio: { input: { turn_detection: null } } } });
    await client.next('session.updated');
    const empty = await client.ask({ type: 'input_audio_buffer.commit' }, 'error');
    expect(empty.error.code).toBe('input_audio_buffer_commit_empty');
    pushed.length = 0;
    client.socket.send(Buffer.alloc(4801));
    client.send({ type: 'input_audio_buffer.append', audio: Buffer.alloc(4799).toString('base64') });
    client.send({ type: 'input_audio_buffer.commit' });
    client.send({ type: 'response.create' });
    await client.ask({ type: 'input_audio_buffer.clear' }, 'input_audio_buffer.cleared');
    expect(pushed).toEqual([2400, 2400]);
    hear({ utterance: 1, event: 'stopped', at: 200 });
    hear({ utterance: 1, event: 'final', text: 'one' });
    const { response } = await client.next('response.done');
    expect(response.output[0].content[0].transcript).toBe('You said: one');
    expect(client.types()).not.toContain('input_audio_buffer.speech_stopped');
  });

  it('whose answer is cancelled while its transcript is pending is not answered', async () => {
    const { client } = await aTalker();
    client.send({ type: 'session.update', session: { audio: { input: { turn_detection: null } } } });
    client.socket.send(Buffer.alloc(4800));
    client.send({ type: 'input_audio_buffer.commit' });
    client.send({ type: 'response.create' });
    const { response } = await client.ask({ type: 'response.cancel' }, 'response.done');
    expect(response).toMatchObject({ status: 'cancelled', output: [], status_details: { reason: 'client_cancelled' } });
    hear({ utterance: 1, event: 'stopped', at: 100 });
    hear({ utterance: 1, event: 'final', text: 'one' });
    await client.next('conversation.item.input_audio_transcription.completed');
    expect(client.types()).not.toContain('response.created');
  });
});

describe('a session ends', () => {
  it('a minute after its token expires', async () => {
    const { client } = await sessionOf(strict);
    strict.clock.advance(65_000);
    await delay(1200);
    expect(client.socket.readyState).toBe(1);
    strict.clock.advance(10_000);
    expect(await client.next('session.going_away')).toMatchObject({ reason: 'token_expired' });
    expect(await client.closed).toMatchObject({ code: 1008 });
  });

  it('that is idle', async () => {
    const app = await startWith({ liveIdleSeconds: 1 });
    const { client } = await sessionOf(app);
    expect(await client.closed).toMatchObject({ code: 1000 });
    await app.close();
  });

  it('whose client answers no pings', async () => {
    const { client } = await sessionOf(strict);
    client.socket.pause();
    await delay(2000);
    client.socket.resume();
    expect(await client.closed).toMatchObject({ code: 1006 });
  });

  it('with the service, keeping what was said until then', async () => {
    const { client } = await sessionOf(strict);
    client.say('one two');
    await client.next('response.output_audio_transcript.delta');
    const closing = strict.app.close();
    expect(await client.next('session.going_away')).toMatchObject({
      reason: 'shutdown',
      time_left_ms: expect.any(Number),
    });
    expect(await client.closed).toMatchObject({ code: 1001 });
    await closing;
  });

  it('never by mistakes of its client', async () => {
    const { client } = await aTalker();
    for (let n = 0; n < 300; n++) client.send({ type: 'nonsense' });
    client.send({ type: 'session.update', session: {} });
    await client.next('session.updated');
    expect(client.of('error')).toHaveLength(300);
  });
});
