import { setTimeout as delay } from 'node:timers/promises';
import jwt from 'jsonwebtoken';
import { Caller, type OfferOptions } from '../../packages/webrtc/test/caller.js';
import { PuppetModule } from '../support/engines.js';
import { anyServer, aProject, aUser, createTestApp, type TestApp } from '../support/index.js';
import { addLiveAvatar, LiveClient } from '../support/live-client.js';
import { MetronomeModule } from '../support/metronome.js';

const PATH = '/v1/realtime/calls';
const project_id = aProject();
let test: TestApp;
let url: string;
const callers: Caller[] = [];
beforeAll(async () => {
  const config = { liveSessions: 2, liveWebrtcPorts: { min: 52_000, max: 52_099 } };
  test = await createTestApp({ server: anyServer(), modules: [PuppetModule, MetronomeModule], config });
  url = `http://127.0.0.1:${await test.listen()}`;
  await addLiveAvatar(test, project_id);
});
afterEach(async () => {
  for (const caller of callers) caller.hangUp();
  // Their slots are free again.
  await freed();
  for (const caller of callers.splice(0)) caller.kill();
});
afterAll(() => test.close());

const freed = async () => {
  while (!(await test.call({ path: '/metrics' })).text?.includes('live_slots_free 2')) await delay(50);
};
const aToken = async () => test.token(aUser(), project_id);
const aCaller = () => {
  const caller = new Caller();
  callers.push(caller);
  return caller;
};

interface Posted {
  readonly token?: string;
  readonly query?: string;
  readonly type?: string;
}

/** Posts an offer as its body, or a form. */
const post = async (
  body: string | FormData,
  { token, query = '?model=live', type = 'application/sdp' }: Posted = {},
) => {
  const authorization = `Bearer ${token ?? (await aToken())}`;
  const headers = { authorization, ...(typeof body === 'string' ? { 'content-type': type } : {}) };
  const response = await fetch(`${url}${PATH}${query}`, { method: 'POST', headers, body });
  const text = await response.text();
  const error = response.ok ? undefined : JSON.parse(text);
  return { status: response.status, text, headers: response.headers, error: error?.error, message: error?.message };
};

const aMessage = (text: string) => {
  const content = [{ type: 'input_text', text }];
  return { type: 'conversation.item.create', item: { type: 'message', role: 'user', content } };
};

const talking = async (given: Posted = {}, options?: OfferOptions) => {
  const caller = aCaller();
  const answer = await post(await caller.offer(options), given);
  expect(answer.status).toBe(201);
  await caller.accept(answer.text);
  const created = await caller.event('session.created');
  return { caller, answer, session: created.session };
};

it('opens a session, in which the avatar is heard and its events are those of a WebSocket, without audio', async () => {
  const token = await aToken();
  const { caller, answer, session } = await talking({ token });
  expect(answer.headers.get('content-type')).toContain('application/sdp');
  expect(answer.headers.get('location')).toMatch(/^\/v1\/realtime\/calls\/rtc_[\w-]{16}$/);
  expect(session).toMatchObject({ model: 'live', audio: { output: { format: { type: 'audio/pcm', rate: 24_000 } } } });
  const audio = { input: { format: { type: 'audio/pcmu' } }, output: { format: { type: 'audio/pcmu' } } };
  const asked = [{ type: 'session.update', session: { audio } }, aMessage('echo 1 2'), { type: 'response.create' }];
  for (const event of asked) caller.send(event);
  // The format of a call is negotiated by SDP.
  expect((await caller.event('session.updated')).session.audio.output.format.type).toBe('audio/pcm');
  await caller.event('output_audio_buffer.stopped');
  expect(caller.levels.some((level) => level > 10)).toBe(true);

  const client = await LiveClient.open(Number(new URL(url).port), 'model=live', token);
  for (const event of asked) client.send(event);
  await client.next('response.done');
  const withoutAudio = client.events.map(({ type }) => type).filter((type) => type !== 'response.output_audio.delta');
  expect(caller.types().filter((type) => !type.startsWith('output_audio_buffer.'))).toEqual(withoutAudio);
  const ids = caller.events.map(({ event_id }) => event_id);
  expect(new Set(ids).size).toBe(ids.length);
  client.socket.terminate();
});

it('a client may come with a secret that names the avatar, or with a session in a form', async () => {
  const token = await aToken();
  const issue = { method: 'POST', path: '/v1/realtime/client_secrets', token } as const;
  const body = { session: { model: 'live', audio: { input: { turn_detection: null } } } };
  const { value } = (await test.call({ ...issue, body })).body;
  const bySecret = await talking({ token: value, query: '' });
  expect(bySecret.session).toMatchObject({ model: 'live', audio: { input: { turn_detection: null } } });
  const caller = aCaller();
  const form = new FormData();
  form.set('sdp', await caller.offer());
  form.set('session', JSON.stringify({ type: 'realtime', model: 'live', output_modalities: ['text'] }));
  const answer = await post(form, { token, query: '' });
  await caller.accept(answer.text);
  expect((await caller.event('session.created')).session.output_modalities).toEqual(['text']);
  bySecret.caller.hangUp();
});

it('the client ends what is being said, and gets no more of it', async () => {
  const { caller } = await talking();
  caller.send(aMessage('count 200'));
  caller.send({ type: 'response.create' });
  await caller.event('output_audio_buffer.started');
  caller.send({ type: 'output_audio_buffer.clear' });
  const { response } = await caller.event('response.done');
  expect(response).toMatchObject({ status: 'cancelled', status_details: { reason: 'client_cancelled' } });
  const types = caller.types();
  expect(types.filter((type) => type.startsWith('output_audio_buffer.'))).toEqual([
    'output_audio_buffer.started',
    'output_audio_buffer.cleared',
  ]);
  expect(types).not.toContain('error');
});

describe('refuses', () => {
  const offered = (options?: OfferOptions) => aCaller().offer(options);
  const formOf = (fields: Record<string, string | Blob>) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    return form;
  };

  it.each<[string, () => Promise<string> | string | FormData, Posted, number, string]>([
    ['no SDP', () => 'Hello', {}, 400, 'invalid_offer'],
    ['SDP that means nothing', () => 'v=0\r\nm=audio x y z\r\nm=application ? ?\r\n', {}, 400, 'invalid_offer'],
    ['more than 64 KiB', () => `v=0\r\n${'a=x\r\n'.repeat(20_000)}`, {}, 413, 'payload_too_large'],
    ['an offer without audio', () => offered({ audio: false }), {}, 400, 'invalid_offer'],
    ['video alone', () => offered({ audio: false, video: true }), {}, 400, 'invalid_offer'],
    ['an offer without a data channel', () => offered({ label: '' }), {}, 400, 'invalid_offer'],
    ['JSON', () => '{}', { type: 'application/json' }, 400, 'invalid_offer'],
    ['text', () => 'v=0', { type: 'text/plain' }, 415, 'unsupported_media_type'],
    ['a form without SDP', () => formOf({ session: '{}' }), {}, 400, 'invalid_offer'],
    ['a form with too much', () => formOf({ sdp: 'v=0\r\n'.repeat(20_000) }), {}, 413, 'payload_too_large'],
    ['a file with too much', () => formOf({ sdp: new Blob(['v=0\r\n'.repeat(20_000)]) }), {}, 413, 'payload_too_large'],
    ['a form with half a session', () => formOf({ sdp: 'v=0', session: '{' }), {}, 400, 'bad_request'],
    ['a session that is none', () => formOf({ sdp: 'v=0', session: '7' }), {}, 400, 'invalid_session'],
    ['a session that is false', () => formOf({ sdp: 'v=0', session: 'false' }), {}, 400, 'invalid_session'],
    ['a session of wrong types', () => formOf({ sdp: 'v=0', session: '{"audio":1}' }), {}, 400, 'invalid_session'],
    ['no avatar', () => 'v=0', { query: '' }, 400, 'invalid_avatar_id'],
    ['two avatars', () => formOf({ sdp: 'v=0', session: '{"model":"ada"}' }), {}, 400, 'invalid_avatar_id'],
    ['an unknown avatar', () => 'v=0', { query: '?model=nobody' }, 404, 'avatar_not_found'],
    ['a wrong token', () => 'v=0', { token: 'x' }, 401, 'invalid_token'],
  ])('%s', async (_, body, given, status, error) => {
    expect(await post(await body(), given)).toMatchObject({ status, error });
    await freed();
  });

  it('SDP on other routes', async () => {
    const token = await aToken();
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/sdp' };
    expect((await fetch(`${url}/chat`, { method: 'POST', headers, body: 'v=0' })).status).toBe(415);
  });

  it('an expired token, though all sessions are taken, and then more calls than there are sessions', async () => {
    await Promise.all([talking(), talking()]);
    const token = await aToken();
    const now = Math.floor(test.clock.now() / 1000);
    const header = JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString());
    const claims = { ...(jwt.decode(token) as object), iat: now - 100, exp: now - 1 };
    const expired = jwt.sign(claims, test.config.jwtSecret, { header });
    expect(await post(await offered(), { token: expired })).toMatchObject({ status: 403, error: 'token_expired' });
    const more = await post(await offered());
    expect(more).toMatchObject({ status: 503, error: 'service_unavailable' });
    expect(Number(more.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

it('an offer that is refused takes no session from anybody', async () => {
  const token = await aToken();
  const both = [await talking({ token }), await talking({ token })];
  expect(await post('Hello')).toMatchObject({ status: 400, error: 'invalid_offer' });
  await delay(200);
  expect(both.map(({ caller }) => caller.isClosed)).toEqual([false, false]);
});

it('the newest of two calls of one user, even if it has not connected, gives way to another user', async () => {
  const token = await aToken();
  await talking({ token });
  expect((await post(await aCaller().offer(), { token })).status).toBe(201);
  const other = await talking();
  expect(other.session.model).toBe('live');
});

it('a call is closed at a shutdown, after its client has been told, and so is one that has not connected', async () => {
  const own = await createTestApp({ server: anyServer(), modules: [PuppetModule, MetronomeModule] });
  const before = url;
  url = `http://127.0.0.1:${await own.listen()}`;
  await addLiveAvatar(own, project_id);
  const token = await own.token(aUser(), project_id);
  const { caller } = await talking({ token });
  expect((await post(await aCaller().offer(), { token })).status).toBe(201);
  url = before;
  await own.close();
  await caller.until(() => caller.isClosed);
});
