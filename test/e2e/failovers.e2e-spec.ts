import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection, mongo } from 'mongoose';
import {
  storedMessages,
  aMongoProxy,
  anyServer,
  createTestApp,
  type MongoFault,
  type MongoProxy,
  type TestApp,
} from '../support/index.js';
import { Owner } from '../../src/index.js';

/** Codes after which the driver checks the server again, which takes half a second. */
const STATE_CHANGES = [91, 189, 10058, 10107, 11600, 11602, 13435, 13436];
const OTHERS = [6, 7, 50, 64, 89, 112, 133, 134, 262, 9001, 13388];
/** Codes of writes that were done, but not replicated in time. */
const UNMET = [64, 91];
/** The commands of a turn that stores and answers a message. */
const COMMANDS = ['insert messages', 'find messages', 'find erasures', 'find projects'];

let proxy: MongoProxy;
let test: TestApp;
let token: string;
let turns = 0;
beforeAll(async () => {
  const server = anyServer();
  proxy = await aMongoProxy(server.uri);
  test = await createTestApp({ server: { name: server.name, uri: proxy.uri } });
  token = await test.token('ann');
});
afterAll(async () => {
  await test.close();
  await proxy.close();
});

/** Answers the nth command of a kind with a fault. @returns whether there was one */
function failOnce(command: string, fault: MongoFault, nth = 1): () => boolean {
  let seen = 0;
  proxy.faultOf = (name) => (name === command && ++seen === nth ? fault : undefined);
  return () => seen >= nth;
}

/** What checks the server, which the driver does not show. */
const monitorOf = (client: mongo.MongoClient) => {
  type Monitor = { connection: { socket: Socket }; requestCheck(): void };
  const { topology } = client as unknown as { topology: { s: { servers: Map<string, { monitor: Monitor }> } } };
  return [...topology.s.servers.values()][0]!.monitor;
};

const turn = (key: string) => {
  const body = { avatar_id: 'ada', request: `Hello ${key}` };
  return test.call({ method: 'POST', path: '/chat', token, body, headers: { 'idempotency-key': key } });
};

/** After a change of state the driver first has to find the primary again. */
async function recovery(): Promise<void> {
  while ((await test.call({ path: '/health/ready' })).status !== 200) await delay(20);
}

/** A turn during which a command fails, and its repetition. */
async function expectTurn(command: string, fault: MongoFault, nth = 1): Promise<boolean> {
  const key = `k${++turns}`;
  const happened = failOnce(command, fault, nth);
  const first = await turn(key);
  if (first.status !== 201) {
    expect(first).toMatchObject({ status: 503, body: { error: 'service_unavailable' } });
    expect(Number(first.headers['retry-after'])).toBeGreaterThan(0);
  }
  proxy.faultOf = () => undefined;
  await recovery();
  expect((await turn(key)).status).toBe(201);
  const stored = await storedMessages(test, new Owner('default', 'ann'));
  expect(stored.filter(({ request }) => request === `Hello ${key}`)).toHaveLength(2);
  return happened();
}

describe.each(COMMANDS)('%s', (command) => {
  it.each([...OTHERS, ...(command === 'insert messages' ? STATE_CHANGES : [])])(
    'that fails with code %i is 503 or repeated, never 500',
    async (code) => {
      expect(await expectTurn(command, { code })).toBe(true);
    },
  );
});

it.each(UNMET)('a write that was done, but fails with write concern error %i, is stored once', async (code) => {
  expect(await expectTurn('insert messages', { code, isWritten: true })).toBe(true);
});

it.each(OTHERS)('each command of a turn may fail with code %i', async (code) => {
  const seen = new Map<string, number>();
  await recovery();
  proxy.faultOf = (name) => void seen.set(name, (seen.get(name) ?? 0) + 1);
  await turn(`seen ${code}`);
  for (const [command, times] of seen) for (let nth = 1; nth <= times; nth++) await expectTurn(command, { code }, nth);
});

it('a change of the primary amid 100 turns loses none and stores none twice', async () => {
  const users = Array.from({ length: 4 }, (_, n) => `failover-${n}`);
  let answered = 0;
  let refused = 0;
  let election: Promise<void> | undefined;
  const elect = async () => {
    proxy.faultOf = () => ({ code: 10107 });
    proxy.disconnect();
    while (refused < users.length) await delay(50);
    await delay(1000);
    proxy.faultOf = () => undefined;
  };
  const talk = async (user_id: string) => {
    const ofUser = await test.token(user_id);
    for (let n = 0; n < 25; n++) {
      const body = { avatar_id: 'ada', request: `Turn ${n}` };
      const headers = { 'idempotency-key': `turn-${n}` };
      for (;;) {
        const answer = await test.call({ method: 'POST', path: '/chat', token: ofUser, body, headers });
        if (answer.status === 201) break;
        expect(answer).toMatchObject({ status: 503, body: { error: 'service_unavailable' } });
        expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
        refused++;
        await delay(50);
      }
      if (++answered === 40) election = elect();
    }
  };
  await Promise.all(users.map(talk));
  await election;
  for (const user_id of users) {
    const stored = await storedMessages(test, new Owner('default', user_id));
    const said = stored.map(({ request }) => request).sort();
    expect(said).toEqual(Array.from({ length: 50 }, (_, n) => `Turn ${n >> 1}`).sort());
  }
});

it('a client whose check of the server never ends is replaced', async () => {
  await recovery();
  const connection = test.app.get<Connection>(getConnectionToken());
  const client = connection.getClient();
  await once(client, 'serverHeartbeatSucceeded');
  // Longer than the driver's shortest pause between checks.
  await delay(600);
  const monitor = monitorOf(client);
  monitor.connection.socket.destroy();
  monitor.requestCheck();
  proxy.faultOf = () => ({ code: 10107 });
  expect((await turn('unknown-server')).status).toBe(503);
  proxy.faultOf = () => undefined;
  await recovery();
  expect(connection.getClient()).not.toBe(client);
  expect((await turn('another-client')).status).toBe(201);
});

it('a read that the server refused is repeated once, and one that took too long is not', async () => {
  await recovery();
  const read = () => test.call({ path: '/chat?user_id=ann', token });
  for (const code of [112, 133, 13388]) {
    failOnce('find messages', { code });
    expect((await read()).status).toBe(200);
  }
  let sent = 0;
  proxy.faultOf = (name) => (name === 'find messages' && ++sent ? { code: 50 } : undefined);
  expect(await read()).toMatchObject({ status: 503, body: { error: 'service_unavailable' } });
  expect(sent).toBe(1);
  sent = 0;
  proxy.faultOf = (name) => (name === 'find messages' && ++sent ? { code: 133 } : undefined);
  expect(await read()).toMatchObject({ status: 503, body: { error: 'service_unavailable' } });
  expect(sent).toBe(2);
});

it('POST /jwt for a project that is not known yet is 500', async () => {
  proxy.faultOf = (name) => (name === 'find projects' ? { code: 262 } : undefined);
  const body = { user_id: 'ann', project_id: 'unknown' };
  expect(await test.call({ method: 'POST', path: '/jwt', body })).toMatchObject({
    status: 500,
    body: { error: 'token_generation_failed' },
  });
  proxy.faultOf = () => undefined;
});
