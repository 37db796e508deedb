import { setTimeout as delay } from 'node:timers/promises';
import { CatalogueService, Owner } from '../../src/index.js';
import { PUPPET, PuppetEngine, PuppetModule } from '../support/engines.js';
import { anyServer, aProject, aUser, createTestApp, storedMessages, type TestApp } from '../support/index.js';
import { LiveClient } from '../support/live-client.js';
import { MetronomeModule } from '../support/metronome.js';

const ADMIN_KEY = 'k'.repeat(40);
const MESSAGE = 'A person will come.';

let test: TestApp;
/** Another process of the same service. */
let other: TestApp;
let port: number;
const project_id = aProject();
const clients: LiveClient[] = [];

beforeAll(async () => {
  const modules = [PuppetModule, MetronomeModule];
  test = await createTestApp({ server: anyServer(), modules, config: { liveSessions: 8, adminKey: ADMIN_KEY } });
  const config = { database: test.config.database, adminKey: ADMIN_KEY };
  other = await createTestApp({ server: anyServer(), modules, clock: test.clock, config });
  port = await test.listen();
  await test.app.get(CatalogueService).apply(
    JSON.stringify({
      avatars: [
        { ...PUPPET, _id: 'live', hasLiveMode: true },
        { ...PUPPET, _id: 'scripted', hasLiveMode: true, engine: { kind: 'scripted', script: 'ada' } },
      ],
      projects: [
        {
          project_id,
          avatars: ['live', 'scripted'],
          languages: ['en'],
          speech: { speaker: { kind: 'metronome' } },
          handover: { enabled: true, message: MESSAGE },
        },
      ],
    }),
  );
  await delay(1100); // the other process reads the catalogue
});
afterEach(() => {
  for (const client of clients.splice(0)) client.socket.terminate();
});
afterAll(async () => {
  await other.close();
  await test.close();
});

const aTalker = async (avatar_id = 'live') => {
  const owner = new Owner(project_id, aUser());
  const token = await test.token(owner.user_id, project_id);
  const client = await LiveClient.open(port, `model=${avatar_id}`, token);
  clients.push(client);
  const operate = (body: unknown, app = test) =>
    app.call({
      method: 'PUT',
      path: `/admin/conversations/${owner.user_id}?project_id=${project_id}`,
      token: ADMIN_KEY,
      body,
    });
  const write = (answer: string, app = test) =>
    app.call({ method: 'POST', path: '/admin/messages', token: ADMIN_KEY, body: { ...owner, avatar_id, answer } });
  const transcripts = () => client.of('response.output_audio_transcript.done').map(({ transcript }) => transcript);
  const texts = async () =>
    (await storedMessages(test, owner)).map(({ direction, request, answer, avatar_name }) =>
      direction === 'incoming' ? `${avatar_name}: ${answer}` : request,
    );
  return { client, operate, write, transcripts, texts };
};
const TAKEN = { status: 'cancelled', status_details: { type: 'cancelled', reason: 'conversation_taken' } };

it('while a person has it the avatar is silent, what the person writes is spoken, and afterwards the avatar goes on', async () => {
  const { client, operate, write, transcripts, texts } = await aTalker();
  await client.answer('hello');
  await operate({ state: 'person', name: 'Sam' }, other);
  expect((await client.answer('are you there')).response).toMatchObject({ ...TAKEN, output: [] });
  expect((await client.answer('anyone')).response).toMatchObject(TAKEN);
  const asked = client.events.length;
  const input = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'and aside' }] }];
  client.send({ type: 'response.create', response: { input, conversation: 'none' } });
  expect((await client.next('response.done', asked)).response).toMatchObject(TAKEN);
  const from = client.events.length;
  const { body: written } = await write('I am Sam.', other);
  expect((await client.next('response.done', from)).response).toMatchObject({
    status: 'completed',
    metadata: { message_id: written._id },
  });
  expect(transcripts()).toEqual(['You said: hello', 'I am Sam.']);
  expect(client.of('response.output_audio.delta').length).toBeGreaterThan(0);
  const { item } = client.of('conversation.item.added').at(-1)!;
  await client.ask({ type: 'conversation.item.delete', item_id: item.id }, 'conversation.item.deleted');
  await operate({ state: 'avatar' });
  expect((await client.answer('and now')).response.status).toBe('completed');
  // What the user asked the person is not deleted with the answer.
  expect(test.app.get(PuppetEngine).asked.at(-1)!.history.at(-1)).toEqual({ request: 'anyone', answer: '' });
  expect(transcripts()).toEqual(['You said: hello', 'I am Sam.', 'You said: and now']);
  expect(await texts()).toEqual([
    'hello',
    'Puppet: You said: hello',
    'are you there',
    'anyone',
    'Sam: I am Sam.',
    'and now',
    'Puppet: You said: and now',
  ]);
});

it('a message that nobody asked for is spoken, whoever has the conversation, stored once, and not told once it is deleted', async () => {
  const { client, write, transcripts, texts } = await aTalker();
  await client.answer('hello');
  const from = client.events.length;
  await write('Your table is ready.', other);
  expect((await client.next('response.done', from)).response.status).toBe('completed');
  expect(transcripts()).toEqual(['You said: hello', 'Your table is ready.']);
  expect(await texts()).toEqual(['hello', 'Puppet: You said: hello', 'Puppet: Your table is ready.']);
  const { item } = client.of('conversation.item.added').at(-1)!;
  await client.ask({ type: 'conversation.item.delete', item_id: item.id }, 'conversation.item.deleted');
  await client.answer('and now');
  const { history } = test.app.get(PuppetEngine).asked.at(-1)!;
  expect(history).toEqual([{ request: 'hello', answer: 'You said: hello' }]);
});

it('an answer in progress ends when a person takes over, also in another process, and no greeting comes', async () => {
  const { client, operate, texts } = await aTalker();
  client.say('count 200');
  await client.next('response.output_audio.delta');
  await operate({ state: 'person', name: 'Sam' }, other);
  expect((await client.next('response.done')).response).toMatchObject(TAKEN);
  expect((await texts()).length).toBe(2);
  const silent = await aTalker();
  await silent.operate({ state: 'waiting' });
  await silent.client.next('response.done'); // the message that one will come
  const from = silent.client.events.length;
  silent.client.send({ type: 'response.create' });
  expect((await silent.client.next('response.done', from)).response).toMatchObject(TAKEN);
  expect(silent.transcripts()).toEqual([MESSAGE]);
});

it.each(['scripted', 'live'])(
  'words of danger while nobody has come yet: care is spoken, once, by %s',
  async (avatar_id) => {
    const { client, operate, transcripts, texts } = await aTalker(avatar_id);
    await operate({ state: 'waiting' });
    await client.next('response.done'); // the message that one will come
    expect((await client.answer('are you there')).response).toMatchObject(TAKEN);
    const from = client.events.length;
    expect((await client.answer('I want to kill myself')).response).toMatchObject(TAKEN);
    await client.next('response.output_audio_transcript.done', from);
    expect((await client.answer('ok')).response).toMatchObject(TAKEN);
    const care = expect.stringMatching(/emergency number/);
    expect(transcripts()).toEqual([MESSAGE, care]);
    expect(
      client
        .of('response.done')
        .slice(2)
        .map(({ response }) => response.status),
    ).toEqual(['cancelled', 'completed', 'cancelled']);
    expect((await texts()).slice(1)).toEqual(['are you there', 'I want to kill myself', care, 'ok']);
  },
);

it('who asks the avatar for a person hears that one will come', async () => {
  const { client, transcripts, texts } = await aTalker('scripted');
  expect((await client.answer('I want to talk to a person')).response).toMatchObject(TAKEN);
  await client.next('response.output_audio_transcript.done');
  expect(transcripts()).toEqual([MESSAGE]);
  expect(await texts()).toEqual(['I want to talk to a person', `Puppet: ${MESSAGE}`]);
});
