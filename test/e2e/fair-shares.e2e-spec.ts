import { setTimeout as delay } from 'node:timers/promises';
import { CatalogueService } from '../../src/index.js';
import { PuppetModule } from '../support/engines.js';
import { anyServer, aProject, aUser, createTestApp, type TestApp } from '../support/index.js';
import { addLiveAvatar, LiveClient } from '../support/live-client.js';
import { MetronomeModule } from '../support/metronome.js';

const project_id = aProject();
const clients: LiveClient[] = [];
let test: TestApp;
let port: number;

const start = async (config = {}): Promise<[TestApp, number]> => {
  const app = await createTestApp({ server: anyServer(), modules: [PuppetModule, MetronomeModule], config });
  const listening = await app.listen();
  await addLiveAvatar(app, project_id);
  return [app, listening];
};
beforeAll(async () => {
  [test, port] = await start();
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.socket.terminate();
  await delay(50);
});
afterAll(() => test.close());

const connect = async (token: string, query = 'model=live', to = port) => {
  const client = await LiveClient.open(to, query, token);
  clients.push(client);
  return client;
};
const flood = (client: LiveClient, message: string, times: number) => {
  for (let n = 0; n < times; n++) client.socket.send(message);
};

/**
 * What users have in common, each with a user who takes all of it. @returns what is to be awaited before a modest user
 * comes
 */
const shared: Record<string, (greedy: string) => Promise<void>> = {
  'the sessions of a process': async (greedy) => {
    for (let n = 0; n < 4; n++) await connect(greedy);
    await expect(connect(greedy)).rejects.toThrow('503');
  },
  'the places of lost sessions': async (greedy) => {
    for (let n = 0; n < 110; n++) (await connect(greedy)).socket.terminate();
  },
  'the time of a process, by messages that are refused': async (greedy) => {
    for (let n = 0; n < 3; n++) flood(await connect(greedy), '{', 20_000);
  },
  'the time of a process, by answers': async (greedy) => {
    const client = await connect(greedy);
    const content = [{ type: 'input_text', text: 'x'.repeat(8000) }];
    client.send({ type: 'conversation.item.create', item: { type: 'message', id: 'long', role: 'user', content } });
    flood(client, JSON.stringify({ type: 'conversation.item.retrieve', item_id: 'long' }), 20_000);
  },
  'the time of a process, by pings and pongs': async (greedy) => {
    const { socket } = await connect(greedy);
    for (let n = 0; n < 20_000; n++) (n % 2 ? socket.ping : socket.pong).call(socket);
  },
};

it.each(Object.entries(shared))('a greedy user does not keep others from %s', async (_, take) => {
  await take(await test.token(aUser(), project_id));
  const modest = await test.token(aUser(), project_id);
  const client = await connect(modest);
  expect((await client.answer('one')).response.status).toBe('completed');
  expect(await test.call({ path: '/health/live' })).toMatchObject({ status: 200 });
  const { id } = client.events[0]!.session;
  client.socket.terminate();
  await client.closed;
  await delay(50);
  const again = await connect(modest, `model=live&resume=${id}`);
  expect(again.events[0]).toMatchObject({ resumed: true });
});

it('a user that has used up its share has no new one on a new connection', async () => {
  // Another service: of a client that floods one, the end is seen late, and its place is taken until then.
  const [quiet, at] = await start();
  const token = await quiet.token(aUser(), project_id);
  const client = await connect(token, undefined, at);
  flood(client, '{', 1500);
  while (client.of('error').length < 450) await delay(20);
  const other = await connect(token, undefined, at);
  flood(other, '{', 400);
  other.send({ type: 'session.update', session: {} });
  // Its 400 refusals alone cost the share of four seconds, unless they were its first.
  await delay(1000);
  expect(other.types()).not.toContain('session.updated');
  expect(client.of('error').length).toBeLessThan(1500);
  await quiet.close();
});

describe('a session', () => {
  let impatient: TestApp;
  let client: LiveClient;
  let impatientPort: number;
  beforeAll(async () => {
    [impatient, impatientPort] = await start({ liveIdleSeconds: 3 });
  });
  beforeEach(async () => {
    client = await LiveClient.open(impatientPort, 'model=live', await impatient.token(aUser(), project_id));
    clients.push(client);
  });
  afterAll(() => impatient.close());

  it.each<[string, string | Buffer]>([
    ['rubbish', '{'],
    ['unknown events', '{"type":"nonsense"}'],
    ['refused events', '{"type":"response.cancel"}'],
    ['a byte of audio now and then', Buffer.of(7)],
    ['reading items', '{"type":"conversation.item.retrieve","item_id":"one"}'],
  ])('is not kept open by %s', async (_, message) => {
    const content = [{ type: 'input_text', text: 'one' }];
    client.send({ type: 'conversation.item.create', item: { type: 'message', id: 'one', role: 'user', content } });
    const timer = setInterval(() => client.socket.send(message), 200);
    expect(await client.closed).toMatchObject({ code: 1000 });
    clearInterval(timer);
  });

  it('is kept open by audio, also of silence', async () => {
    const timer = setInterval(() => client.socket.send(Buffer.alloc(48_000)), 200);
    await delay(5000);
    expect(client.socket.readyState).toBe(1);
    clearInterval(timer);
  });
});

it('a session ends within two seconds after its project has become closed to its token', async () => {
  const client = await connect(await test.token(aUser(), project_id));
  const catalogue = test.app.get(CatalogueService);
  const { projects } = JSON.parse(await catalogue.export()) as { projects: { project_id: string }[] };
  const project = projects.find((one) => one.project_id === project_id);
  await catalogue.apply(JSON.stringify({ projects: [{ ...project, token_policy: 'verified' }] }));
  expect(await client.next('session.going_away')).toMatchObject({ reason: 'invalid_token' });
  expect(await client.closed).toMatchObject({ code: 1008 });
});
