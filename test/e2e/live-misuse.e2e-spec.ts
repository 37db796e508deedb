import { WebSocket } from 'ws';
import { LiveAdmission } from '../../src/live/live.admission.js';
import { upgradeOf } from 'avatar-chat-runtime';
import { PuppetModule } from '../support/engines.js';
import { anyServer, aProject, aUser, createTestApp, type TestApp } from '../support/index.js';
import { addLiveAvatar, LiveClient } from '../support/live-client.js';
import { MetronomeModule, RATE } from '../support/metronome.js';

const project_id = aProject();
let test: TestApp;
let port: number;
const clients: LiveClient[] = [];
beforeAll(async () => {
  test = await createTestApp({ server: anyServer(), modules: [PuppetModule, MetronomeModule] });
  port = await test.listen();
  await addLiveAvatar(test, project_id);
});
afterEach(() => clients.splice(0).forEach((client) => client.socket.terminate()));
afterAll(() => test.close());

const aTalker = async () => {
  const user_id = aUser();
  const token = await test.token(user_id, project_id);
  const client = await LiveClient.open(port, 'model=live', token);
  clients.push(client);
  const history = async () => (await test.call({ path: `/chat?user_id=${user_id}`, token })).body.payload.reverse();
  return { client, history };
};
const isWell = (client: LiveClient) => client.ask({ type: 'session.update', session: {} }, 'session.updated');

it('a client that leaves during admission takes no slot from others', async () => {
  const one = await createTestApp({ server: anyServer(), config: { liveSessions: 1 }, modules: [PuppetModule] });
  const listening = await one.listen();
  const user_id = aUser();
  const token = await one.token(user_id);
  const admission = one.app.get(LiveAdmission);
  const admit = admission.admit.bind(admission);
  const leaving = new WebSocket(`ws://127.0.0.1:${listening}/v1/realtime?model=ada`, {
    headers: { authorization: `Bearer ${token}` },
  });
  leaving.on('error', () => undefined);
  const left = new Promise<void>((resolve) => {
    jest.spyOn(admission, 'admit').mockImplementationOnce(async (owner, request) => {
      const admitted = await admit(owner, request);
      upgradeOf(request)!.socket.destroy();
      setTimeout(resolve, 20);
      await new Promise((done) => setTimeout(done, 10));
      return admitted;
    });
  });
  await left;
  const client = await LiveClient.open(listening, 'model=ada', token);
  expect(client.of('error')).toEqual([]);
  client.socket.terminate();
  await one.close();
});

describe('in a live session', () => {
  it("an item of another user's session does not exist", async () => {
    const [one, other] = [await aTalker(), await aTalker()];
    one.client.say('one two');
    const { response } = await one.client.next('response.done');
    const ids = [response.output[0].id, one.client.of('conversation.item.added')[0]!.item.id, 'nobody'];
    for (const action of ['retrieve', 'delete', 'truncate']) {
      const errors: unknown[] = [];
      for (const item_id of ids) {
        const event = { type: `conversation.item.${action}`, item_id, content_index: 0, audio_end_ms: 0 };
        const { error } = await other.client.ask(event, 'error');
        expect(error.code).toBe(`item_${action}_invalid_item_id`);
        errors.push(error);
      }
      expect(new Set(errors.map((error) => JSON.stringify(error))).size).toBe(1);
    }
    expect((await one.history())[1].answer).toBe('You said: one two');
  });

  it('values of a wrong type are client errors, and change nothing', async () => {
    const { client, history } = await aTalker();
    const item = (fields: object) => ({ type: 'conversation.item.create', item: { type: 'message', ...fields } });
    const content = [{ type: 'input_text', text: 'one' }];
    const wrong = [
      { type: 7 },
      { type: 'input_audio_buffer.append' },
      { type: 'input_audio_buffer.append', audio: 7 },
      { type: 'input_audio_buffer.append', audio: 'AAAAA' },
      { type: 'input_audio_buffer.commit' },
      { type: 'session.update', session: [] },
      { type: 'conversation.item.create' },
      { type: 'conversation.item.create', item: 'one' },
      item({ role: 'robot', content }),
      item({ role: 'user', content: 'one' }),
      item({ role: 'user', content: [null, { type: 'input_text', text: 7 }] }),
      item({ role: 'user', content: [{ type: 'input_text', text: 'x'.repeat(32_001) }] }),
      item({ id: 7, role: 'user', content }),
      item({ type: 'mcp_call', role: 'user', content }),
      { ...item({ role: 'user', content }), previous_item_id: 7 },
      { type: 'conversation.item.retrieve', item_id: {} },
      { type: 'response.create', response: { output_modalities: 'audio' } },
      { type: 'response.cancel', response_id: 7 },
    ];
    for (const [at, event] of wrong.entries()) {
      const { error } = await client.ask({ ...event, event_id: `wrong-${at}` }, 'error');
      expect(error).toMatchObject({ type: 'invalid_request_error', event_id: `wrong-${at}` });
    }
    // Defined by the protocol, but without a meaning here.
    client.send({ type: 'output_audio_buffer.clear' });
    await isWell(client);
    expect(client.of('error')).toHaveLength(wrong.length);
    expect(client.of('conversation.item.added')).toEqual([]);
    expect(await history()).toEqual([]);
  });

  it('an answer of which nothing has been sent cannot be truncated, and stays complete', async () => {
    const { client, history } = await aTalker();
    client.say('one two');
    await client.next('response.created');
    const cut = { type: 'conversation.item.truncate', item_id: 'item_1', content_index: 0, audio_end_ms: 0 };
    expect((await client.ask(cut, 'error')).error.code).toBe('item_truncate_invalid_item_id');
    expect((await client.next('response.done')).response.status).toBe('completed');
    expect((await history())[1].answer).toBe('You said: one two');
  });

  it('an answer that is truncated before it is heard leaves no words, but the message', async () => {
    const { client, history } = await aTalker();
    client.say('one two three');
    await client.next('response.output_audio.delta');
    const { item_id } = client.of('response.output_audio.delta')[0]!;
    const cut = { type: 'conversation.item.truncate', item_id, content_index: 0, audio_end_ms: 0 };
    expect(await client.ask(cut, 'conversation.item.truncated')).toMatchObject({ audio_end_ms: 0 });
    expect(await history()).toMatchObject([{ request: 'one two three' }, { answer: '' }]);
    await isWell(client);
  });

  it('minutes of audio at once do not affect the session', async () => {
    const { client } = await aTalker();
    // Within the limit of a message.
    const twentySeconds = Buffer.alloc(20 * RATE * 2);
    for (let n = 0; n < 15; n++) client.socket.send(twentySeconds);
    await isWell(client);
    client.say('one');
    expect((await client.next('response.done')).response.status).toBe('completed');
  });

  it('a message of 16 MiB closes it, and no other', async () => {
    const [one, other] = [await aTalker(), await aTalker()];
    one.client.socket.send(Buffer.alloc(2 ** 24));
    expect(await one.client.closed).toMatchObject({ code: 1009 });
    await isWell(other.client);
  });
});
