import { CatalogueService } from '../../src/index.js';
import { Usage } from '../../src/quality/index.js';
import { PUPPET } from '../support/engines.js';
import { FakeRealtime } from '../support/fake-realtime.js';
import { anyServer, aProject, aRecording, aUser, createTestApp, type TestApp } from '../support/index.js';
import { LiveClient } from '../support/live-client.js';
import { ModelStub } from '../../src/testing/index.js';

const ADMIN_KEY = 'an-admin-key-of-more-than-32-characters';
const [project_id, limited, recorded] = [aProject(), aProject(), aProject()];
let test: TestApp;
let model: ModelStub;
let upstream: FakeRealtime;
let port: number;
const clients: LiveClient[] = [];

beforeAll(async () => {
  [model, upstream] = await Promise.all([new ModelStub().start(), new FakeRealtime().start()]);
  test = await createTestApp({ server: anyServer(), config: { adminKey: ADMIN_KEY, liveSessions: 8 } });
  port = await test.listen();
  const avatar = (_id: string, engine: object) => ({ ...PUPPET, _id, hasLiveMode: true, engine });
  const realtime = { kind: 'openai-realtime', base_url: upstream.base_url, model: 'r' };
  const { base_url } = model;
  const project = {
    avatars: ['ann', 'echo', 'scripted'],
    languages: ['en'],
    speech: { speaker: { kind: 'espeak' }, transcriber: { kind: 'none' } },
  };
  await test.app.get(CatalogueService).apply(
    JSON.stringify({
      avatars: [
        avatar('ann', model.entry()),
        avatar('echo', realtime),
        avatar('scripted', { kind: 'scripted', script: 'ada' }),
      ],
      projects: [
        { ...project, project_id },
        {
          ...project,
          project_id: recorded,
          speech: { ...project.speech, transcriber: { kind: 'openai', base_url, model: 'w' } },
        },
        { ...project, project_id: limited, settings: { tokensPerUserAndDay: 100 } },
      ],
    }),
  );
});
beforeEach(() => {
  model.requests.length = 0;
  model.usage = undefined;
  model.answer = () => ['Hello', ' there.'];
});
afterAll(async () => {
  for (const client of clients) client.socket.terminate();
  await test?.close();
  model.stop();
  upstream.stop();
});

const report = async (project = project_id) => {
  const { status, body } = await test.call({ path: `/admin/projects/${project}/usage?days=2`, token: ADMIN_KEY });
  expect(status).toBe(200);
  return body.days as Record<string, unknown>[];
};
const rowOf = async (avatar_id: string, project = project_id) =>
  (await report(project)).find((row) => row.avatar_id === avatar_id)!;
async function aTalker(project = project_id, user_id = aUser()) {
  const token = await test.token(user_id, project);
  const say = (avatar_id: string, request = 'How far is the moon?', chat_type = 'text') =>
    test.call({ method: 'POST', path: '/chat', token, body: { avatar_id, request, chat_type } });
  return { user_id, token, say };
}

it('counts the tokens that a server reports per avatar and day, of text, voice and live turns', async () => {
  model.usage = { prompt_tokens: 50, completion_tokens: 7, total_tokens: 57 };
  const { say, token } = await aTalker();
  await say('ann');
  await say('ann', 'And the sun?', 'voice');
  expect(model.requests[0]!.stream_options).toEqual({ include_usage: true });
  const client = await LiveClient.open(port, 'model=ann', token);
  clients.push(client);
  await client.answer('And Mars?');
  const row = await rowOf('ann');
  expect(row).toEqual({
    day: new Date(test.clock.now()).toISOString().slice(0, 10),
    avatar_id: 'ann',
    engine: 'openai',
    turns: 3,
    prompt_tokens: 150,
    completion_tokens: 21,
    estimated: false,
    seconds_heard: 0,
    seconds_spoken: expect.any(Number),
    tool_calls: 0,
  });
  expect(row.seconds_spoken).toBeGreaterThan(1);
  await say('scripted');
  expect(await rowOf('scripted')).toMatchObject({ engine: 'scripted', turns: 1, prompt_tokens: 0 });
});

it('estimates what a server does not report, and says so', async () => {
  upstream.reportsUsage = false;
  const { say, token } = await aTalker();
  await say('echo', 'Good morning');
  expect(await rowOf('echo')).toMatchObject({ engine: 'openai-realtime', turns: 1, estimated: true });
  const client = await LiveClient.open(port, 'model=echo', token);
  clients.push(client);
  const audio = Buffer.from(new Int16Array(24_000).fill(1000).buffer).toString('base64');
  client.send({ type: 'input_audio_buffer.append', audio });
  await client.answer('Good day');
  client.socket.terminate();
  const before = await rowOf('ann');
  model.answer = () => ['x'.repeat(400)];
  await say('ann');
  const after = await rowOf('ann');
  expect(Number(after.completion_tokens) - Number(before.completion_tokens)).toBe(100);
  expect(after.estimated).toBe(true);
  const row = await rowOf('echo');
  expect(Number(row.seconds_spoken)).toBeGreaterThan(0);
  expect(Number(row.seconds_heard)).toBeGreaterThan(0.5);
  const metrics = await test.call({ path: '/metrics' });
  expect(metrics.text).toMatch(/chat_model_tokens_total\{engine="openai",type="completion"\} [1-9]/);
});

it('counts the seconds of recordings that are transcribed, also of those without words', async () => {
  const { token } = await aTalker(recorded);
  const record = async (seconds: number) => {
    const form = new FormData();
    form.append('avatar_id', 'ann');
    form.append('file', new Blob([new Uint8Array(aRecording(seconds))]));
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`http://127.0.0.1:${port}/chat`, { method: 'POST', headers, body: form })).status;
  };
  expect(await record(2.5)).toBe(201);
  model.transcript = '';
  expect(await record(1)).toBe(422);
  expect(await rowOf('ann', recorded)).toMatchObject({ turns: 1, seconds_heard: 3.5 });
});

it('refuses a turn of a user who has used up the day, and stores nothing, until midnight UTC', async () => {
  model.usage = { prompt_tokens: 90, completion_tokens: 20, total_tokens: 110 };
  const { say, user_id, token } = await aTalker(limited);
  expect((await say('ann')).status).toBe(201);
  const refused = await say('ann');
  expect(refused).toMatchObject({ status: 429, body: { error: 'quota_exceeded' } });
  const left = 86_400 - (Math.floor(test.clock.now() / 1000) % 86_400);
  expect(Math.abs(Number(refused.headers['retry-after']) - left)).toBeLessThan(3);
  expect((await test.call({ path: `/chat?user_id=${user_id}`, token })).body.payload).toHaveLength(2);
  expect((await say('echo')).status).toBe(429);
  expect((await say('scripted')).status).toBe(201);
  expect((await say('ann', 'I want to kill myself')).body.incoming.answer).toMatch(/emergency number/);
  expect((await (await aTalker(limited)).say('ann')).status).toBe(201);
  const client = await LiveClient.open(port, 'model=ann', token);
  clients.push(client);
  const input = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'How far is the moon?' }] }];
  for (const response of [{ input }, { input, conversation: 'none' }]) {
    const from = client.events.length;
    client.send({ type: 'response.create', response });
    expect((await client.next('response.done', from)).response).toMatchObject({
      status: 'failed',
      status_details: { error: { code: 'quota_exceeded' } },
    });
  }
  expect(model.requests).toHaveLength(2);
  await test.app.get(Usage).eraseUser({ project_id: limited, user_id });
  expect((await say('ann')).status).toBe(201);
});

it('is empty for a project without turns, and 404 for an unknown one', async () => {
  const unknown = await test.call({ path: '/admin/projects/nobody/usage', token: ADMIN_KEY });
  expect(unknown).toMatchObject({ status: 404, body: { error: 'project_not_found' } });
  const bad = await test.call({ path: `/admin/projects/${project_id}/usage?days=0`, token: ADMIN_KEY });
  expect(bad.status).toBe(400);
});
