import { CatalogueService } from '../../src/index.js';
import { PUPPET } from '../support/engines.js';
import { aMongoProxy, anyServer, createTestApp, type MongoProxy, type TestApp } from '../support/index.js';
import { ModelStub } from '../../src/testing/index.js';

/** All labels there are, each with few values; none is a user, an address, a URL or a text. */
const LABELS =
  /^(chat_type|code|command|engine|kind|le|language_code|limit|major|method|minor|outcome|patch|quantile|result|route|source|space|stage|status|type|version)$/;

let proxy: MongoProxy;
let model: ModelStub;
let test: TestApp;
beforeAll(async () => {
  const server = anyServer();
  [proxy, model] = await Promise.all([aMongoProxy(server.uri), new ModelStub().start()]);
  const config = { rateLimits: { enabled: true, jwt: 10, turns: 2 } };
  test = await createTestApp({ server: { name: server.name, uri: proxy.uri }, config });
  await test.app.get(CatalogueService).apply(
    JSON.stringify({
      avatars: [{ ...PUPPET, _id: 'modelled', engine: model.entry() }],
      projects: [{ project_id: 'measured', avatars: ['modelled'], languages: ['en'] }],
    }),
  );
});
afterEach(() => (proxy.faultOf = () => undefined));
afterAll(async () => {
  await test.close();
  await proxy.close();
  model.stop();
});

const read = async () => (await test.call({ path: '/metrics' })).text;
/** The value of a series; 0 if there is none. */
const valueOf = async (series: string) =>
  Number(
    (await read())
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.split(' ')[1] ?? 0,
  );
const turn = async (token: string) =>
  test.call({
    method: 'POST',
    path: '/chat',
    token,
    body: { avatar_id: 'modelled', request: 'Hi', chat_type: 'text' },
  });

it('count commands of the database with their time, and those that failed by the code', async () => {
  const token = await test.token('ann', 'measured');
  const inserts = await valueOf('mongodb_command_duration_seconds_count{command="insert"}');
  proxy.faultOf = (name) => (name === 'insert messages' ? { code: 50 } : undefined);
  expect((await turn(token)).status).toBe(503);
  proxy.faultOf = () => undefined;
  expect((await turn(token)).status).toBe(201);
  expect(await valueOf('mongodb_command_errors_total{command="insert",code="50"}')).toBe(1);
  expect(await valueOf('mongodb_command_duration_seconds_count{command="insert"}')).toBeGreaterThanOrEqual(inserts + 3);
});

it('count writes that were not replicated in time as failed', async () => {
  const token = await test.token('bob', 'measured');
  proxy.faultOf = (name) => (name === 'insert messages' ? { code: 64, isWritten: true } : undefined);
  await turn(token);
  expect(await valueOf('mongodb_command_errors_total{command="insert",code="64"}')).toBeGreaterThan(0);
});

it('show the connections of the pool, those in use, and what waits for one', async () => {
  expect(await valueOf('mongodb_pool_connections')).toBeGreaterThan(0);
  expect(await valueOf('mongodb_pool_in_use')).toBe(0);
  expect(await valueOf('mongodb_pool_waiting')).toBe(0);
  let seen!: (values: number[]) => void;
  const during = new Promise<number[]>((resolve) => (seen = resolve));
  proxy.faultOf = (name) => {
    if (name === 'find messages')
      void Promise.all(['in_use', 'waiting'].map((one) => valueOf(`mongodb_pool_${one}`))).then(seen);
    return undefined;
  };
  await turn(await test.token('cleo', 'measured'));
  const [inUse, waiting] = await during;
  expect(inUse).toBeGreaterThan(0);
  expect(waiting).toBe(0);
});

it('count what was refused with 429 by the limit', async () => {
  test.clock.advance(60_000);
  const token = await test.token('eve', 'measured');
  const earlier = await valueOf('rate_limited_requests_total{limit="jwt"}');
  const issued = [];
  for (let n = 0; n < 12; n++)
    issued.push((await test.call({ method: 'POST', path: '/jwt', body: { user_id: 'dora' } })).status);
  expect(issued.filter((status) => status === 429)).toHaveLength(3);
  expect(await valueOf('rate_limited_requests_total{limit="jwt"}')).toBe(earlier + 3);
  const before = await valueOf('rate_limited_requests_total{limit="turns"}');
  const answers = [];
  for (let n = 0; n < 3; n++) answers.push((await turn(token)).status);
  expect(answers).toEqual([201, 201, 429]);
  expect(await valueOf('rate_limited_requests_total{limit="turns"}')).toBe(before + 1);
});

it('count calls of models with their time', async () => {
  test.clock.advance(60_000);
  const calls = 'model_call_duration_seconds_count{engine="openai"}';
  const before = await valueOf(calls);
  let during: Promise<number> | undefined;
  model.answer = () => {
    during = valueOf('model_calls_in_progress{engine="openai"}');
    return ['Hello.'];
  };
  expect((await turn(await test.token('fay', 'measured'))).status).toBe(201);
  expect(await valueOf(calls)).toBe(before + 1);
  expect(await during).toBe(1);
  expect(await valueOf('model_calls_in_progress{engine="openai"}')).toBe(0);
  expect(await read()).toMatch(/^model_queue_waiting 0$/m);
});

it('have names and labels by the conventions, and a help line', async () => {
  const text = await read();
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => ({ name, type }));
  for (const expected of ['live_slots_free', 'live_slots_total', 'webhook_pending', 'webhook_oldest_seconds'])
    expect(types.map(({ name }) => name)).toContain(expected);
  // Node.js's own are prom-client's.
  for (const { name, type } of types.filter(({ name }) => !/^(nodejs|process)_/.test(name))) {
    expect(text).toContain(`# HELP ${name} `);
    if (type === 'counter') expect(name).toMatch(/_total$/);
    if (type === 'histogram') expect(name).toMatch(/_seconds$/);
  }
  const labels = new Set([...text.matchAll(/[{,](\w+)="/g)].map(([, label]) => label!));
  expect([...labels].filter((label) => !LABELS.test(label))).toEqual([]);
});
