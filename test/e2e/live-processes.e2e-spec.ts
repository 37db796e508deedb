import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { WebSocket } from 'ws';
import { Owner } from '../../src/index.js';
import { LivePlaces } from '../../src/live/live.places.js';
import { addLiveAvatar, LiveClient } from '../support/live-client.js';
import { PuppetModule } from '../support/engines.js';
import { MetronomeModule } from '../support/metronome.js';
import { anyServer, aProject, aUser, createTestApp } from '../support/index.js';

it('a session that waits in another process is named, not replaced', async () => {
  const server = anyServer();
  const options = { server, modules: [PuppetModule, MetronomeModule] };
  const one = await createTestApp(options);
  const { config, clock } = one;
  const same = { database: config.database, jwtSecret: config.jwtSecret };
  const other = await createTestApp({ ...options, clock, config: same });
  const project_id = aProject();
  await addLiveAvatar(one, project_id);
  const [port, otherPort] = [await one.listen(), await other.listen()];
  const user_id = aUser();
  const token = await one.token(user_id, project_id);
  await other.token(aUser(), project_id);

  const slots = async () => (await one.call({ path: '/health/live-slots' })).body;
  expect(await slots()).toEqual({ free: 4, total: 4 });
  const lost = await LiveClient.open(port, 'model=live', token);
  expect(await slots()).toEqual({ free: 3, total: 4 });
  const { session } = lost.events.find(({ type }) => type === 'session.created')!;
  lost.socket.terminate();
  const resume = `model=live&resume=${session.id}`;
  const refusal = async () => {
    const headers = { authorization: `Bearer ${token}` };
    const socket = new WebSocket(`ws://127.0.0.1:${otherPort}/v1/realtime?${resume}`, { headers });
    socket.on('error', () => undefined);
    return Promise.race([
      once(socket, 'unexpected-response').then(([, response]) => response as IncomingMessage),
      once(socket, 'open').then(() => void socket.terminate()),
    ]);
  };
  let response: IncomingMessage | void;
  do response = await refusal();
  while (!response);
  expect(response.statusCode).toBe(409);
  expect(response.headers['live-session-host']).toMatch(/./);

  const resumed = await LiveClient.open(port, resume, token);
  const created = resumed.events.find(({ type }) => type === 'session.created')!;
  expect(created.session).toMatchObject({ id: session.id });
  // The loss of this connection is not noticed: the newest one wins.
  const closed = once(resumed.socket, 'close');
  response = await refusal();
  expect(response?.statusCode).toBe(409);
  const [code] = await closed;
  expect(code).toBe(1000);
  const again = await LiveClient.open(port, resume, token);
  expect(again.events.find(({ type }) => type === 'session.created')!.session).toMatchObject({ id: session.id });
  again.socket.terminate();
  // What nobody has is a new session everywhere.
  const fresh = await LiveClient.open(otherPort, 'model=live&resume=unknown', token);
  fresh.socket.terminate();
  // So is that of a process which was killed: its place is left, and nobody answers for it, also with its pid.
  const places = one.app.get<Connection>(getConnectionToken()).collection('live_places');
  const elsewhere = { host: 'gone', isWaiting: false };
  const before = { host: hostname(), pid: process.pid, application: 'killed', isWaiting: true };
  for (const [n, where] of [elsewhere, before].entries()) {
    const expires_at = new Date(clock.now() + 3_600_000);
    const _id = `sess_killed${n}`;
    await places.insertOne({ _id: _id as never, project_id, user_id, avatar_id: 'live', ...where, expires_at });
    const begun = await LiveClient.open(otherPort, `model=live&resume=${_id}`, token);
    const anew = begun.events.find(({ type }) => type === 'session.created')!;
    expect(anew.session).not.toMatchObject({ id: _id });
    begun.socket.terminate();
  }
  await other.app.close();
  await one.close();
});

it('a client that has come back keeps its new connection, whoever wanted its session before', async () => {
  const test = await createTestApp({ server: anyServer(), modules: [PuppetModule, MetronomeModule] });
  const project_id = aProject();
  await addLiveAvatar(test, project_id);
  const port = await test.listen();
  const user_id = aUser();
  const token = await test.token(user_id, project_id);
  const places = test.app.get(LivePlaces, { strict: false });
  const collection = test.app.get<Connection>(getConnectionToken()).collection('live_places');
  const lost = await LiveClient.open(port, 'model=live', token);
  const { id } = lost.events.find(({ type }) => type === 'session.created')!.session;
  // What another process asks while the session waits leaves no trace.
  const loss = async ({ socket }: LiveClient) => {
    socket.terminate();
    while (!(await collection.findOne({ _id: id, isWaiting: true }))) await delay(10);
  };
  await loss(lost);
  expect(await places.find(new Owner(project_id, user_id), 'live', id)).toMatchObject({ isWaiting: true });
  expect(await places.findWanted([id])).toEqual([]);
  // An answer that comes late is about the connection of before.
  const client = await LiveClient.open(port, `model=live&resume=${id}`, token);
  let tell!: (ids: string[]) => void;
  const asked = new Promise<void>((resolve) => {
    jest.spyOn(places, 'findWanted').mockImplementationOnce(() => {
      resolve();
      return new Promise((found) => (tell = found));
    });
  });
  await asked;
  await loss(client);
  const again = await LiveClient.open(port, `model=live&resume=${id}`, token);
  tell([id]);
  again.say('one');
  expect((await again.next('response.done')).response.status).toBe('completed');
  again.socket.terminate();
  await test.close();
});

it('of two records of where a session is, the last one stands, though the first takes longer', async () => {
  const test = await createTestApp({ server: anyServer() });
  const places = test.app.get(LivePlaces, { strict: false });
  const model = test.app.get<Connection>(getConnectionToken()).model('LivePlace');
  const update = model.updateOne.bind(model) as typeof model.updateOne;
  jest.spyOn(model, 'updateOne').mockImplementationOnce(((...given: Parameters<typeof update>) => {
    const query = update(...given);
    return {
      then: (done: () => void) =>
        void delay(100)
          .then(() => query.exec())
          .then(done),
    };
  }) as never);
  const session = { id: 'sess_twice', avatar_id: 'ada', owner: new Owner('default', 'ann') } as never;
  await Promise.all([
    places.record(session, false, test.clock.now() + 60_000),
    places.record(session, true, test.clock.now() + 60_000),
  ]);
  expect(await model.findById('sess_twice').lean()).toMatchObject({ isWaiting: true });
  jest.restoreAllMocks();
  await test.close();
});
