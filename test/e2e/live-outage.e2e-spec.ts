import { setTimeout as delay } from 'node:timers/promises';
import { MessageRepository } from '../../src/messages/index.js';
import { MessageRecorder } from '../../src/messages/message.recorder.js';
import { DatabaseUnavailableError } from '../../src/platform/database/index.js';
import { PuppetModule } from '../support/engines.js';
import { anyServer, aProject, aUser, createTestApp, type TestApp } from '../support/index.js';
import { addLiveAvatar, LiveClient } from '../support/live-client.js';
import { MetronomeModule } from '../support/metronome.js';

const away = new DatabaseUnavailableError();
let test: TestApp;
let client: LiveClient;
let history: () => Promise<any[]>;

beforeAll(async () => {
  test = await createTestApp({ server: anyServer(), modules: [PuppetModule, MetronomeModule] });
  const port = await test.listen();
  const project_id = aProject();
  await addLiveAvatar(test, project_id);
  const user_id = aUser();
  const token = await test.token(user_id, project_id);
  client = await LiveClient.open(port, 'model=live', token);
  history = async () => (await test.call({ path: `/chat?user_id=${user_id}`, token })).body.payload.reverse();
});
afterAll(async () => {
  client.socket.terminate();
  await test.close();
});
afterEach(() => jest.restoreAllMocks());

it('an answer that was heard while the database was away is stored completely when it is back', async () => {
  const messages = test.app.get(MessageRepository, { strict: false });
  const rewrite = jest.spyOn(messages, 'rewrite').mockRejectedValueOnce(away).mockRejectedValueOnce(away);
  const { response } = await client.answer('One, two, three. Four five.');
  expect(response).toMatchObject({ status: 'failed', status_details: { error: { code: 'service_unavailable' } } });
  for (let n = 0; n < 100 && rewrite.mock.calls.length < 3; n++) await delay(50);
  await rewrite.mock.results.at(-1)!.value.catch(() => undefined);
  expect((await history()).at(-1)).toMatchObject({
    _id: response.output[0].id,
    answer: 'You said: One, two, three. Four five.',
  });
});

it('an answer whose first words were stored without a confirmation gives way to its repetition', async () => {
  const recorder = test.app.get(MessageRecorder, { strict: false });
  const begin = recorder.begin.bind(recorder);
  jest.spyOn(recorder, 'begin').mockImplementationOnce(async (...message) => {
    await begin(...message);
    throw away;
  });
  expect((await client.answer('six')).response).toMatchObject({ status: 'failed', output: [] });
  const again = await client.ask({ type: 'response.create' }, 'response.done');
  expect(again.response.status).toBe('completed');
  expect((await history()).slice(-2)).toMatchObject([
    { direction: 'outgoing', request: 'six' },
    { _id: again.response.output[0].id, answer: 'You said: six' },
  ]);
});
