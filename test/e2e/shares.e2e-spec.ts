import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { DiscoveryService } from '@nestjs/core';
import { FairQueue, FairShare } from 'avatar-chat-runtime';
import { AuthService, CatalogueService, ChatService, type Owner } from '../../src/index.js';
import { ownerKey } from '../../src/auth/index.js';
import { TURN_SLOTS, TurnSlots } from '../../src/chat/turns/turn.slots.js';
import { FileService } from '../../src/files/index.js';
import { FileUrls } from '../../src/files/file.urls.js';
import { ResponseMemory } from '../../src/platform/limits/index.js';
import { MAX_HELD_BYTES } from '../../src/platform/limits/response-memory.js';
import { PUPPET, PuppetModule } from '../support/engines.js';
import { anOwner, anyServer, aProject, aRecording, aTurn, createTestApp, type TestApp } from '../support/index.js';

const project_id = aProject();
let test: TestApp;
let port: number;
let sockets: Socket[] = [];
beforeAll(async () => {
  test = await createTestApp({ server: anyServer(), modules: [PuppetModule], config: { adminKey: 'k'.repeat(40) } });
  port = await test.listen();
  const project = { project_id, avatars: [PUPPET._id], languages: ['en'], token_policy: 'open' };
  await test.app.get(CatalogueService).apply(JSON.stringify({ avatars: [PUPPET], projects: [project] }));
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
});
afterAll(() => test.close());

const bearer = (owner: Owner) => `Bearer ${test.app.get(AuthService).sign(owner)}`;

/** A signed path of a stored recording. */
async function aFile(owner: Owner, seconds: number, details?: unknown): Promise<string> {
  const { file_id } = await test.app.get(FileService).save(owner, [new Uint8Array(aRecording(seconds))], details);
  const { pathname, search } = new URL(test.app.get(FileUrls).sign(file_id));
  return pathname + search;
}

async function aHistory(owner: Owner, characters: number): Promise<string> {
  for (let n = 0; n < 20; n++)
    await test.app.get(ChatService).record(aTurn({ owner, request: 'x'.repeat(characters), answer: 'y' } as never));
  return `/chat?user_id=${owner.user_id}&per_page=1000`;
}

/** Sends a request of which nothing is read but the status, if there is any. */
async function stall(path: string, authorization = '', localAddress = '127.0.0.2'): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  sockets.push(socket.on('error', () => undefined));
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n${authorization && `Authorization: ${authorization}\r\n`}\r\n`);
  await Promise.race([once(socket, 'readable'), once(socket, 'close')]);
  return String(socket.read(12));
}

async function read(path: string, authorization?: string): Promise<number> {
  const [response] = (await once(
    get({ port, host: '127.0.0.1', path, headers: authorization ? { authorization } : {} }),
    'response',
  )) as [IncomingMessage];
  let bytes = 0;
  for await (const piece of response) bytes += (piece as Buffer).length;
  expect(bytes).toBeGreaterThan(0);
  return response.statusCode!;
}

it('bytes of responses that a greedy user does not read leave others their own', async () => {
  const [greedy, modest] = [anOwner(), anOwner()];
  const wanted = await Promise.all(Array.from({ length: 5 }, () => aFile(greedy, 300)));
  wanted.push(await aHistory(greedy, 8000));
  const history = await aHistory(modest, 2000);
  const file = await aFile(modest, 60, { seconds: 60, phonemes: [] });
  const [token, own] = [bearer(greedy), bearer(modest)];
  const statuses: number[] = [];
  for (let round = 0; round < 2; round++) {
    await Promise.all(Array.from({ length: 100 }, (__, n) => stall(wanted[n % wanted.length]!, token)));
    statuses.push(await read(history, own), await read(file), await read(file.replace('?', '/details?')));
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 200]);
  expect(test.app.get(ResponseMemory).size).toBeLessThanOrEqual(MAX_HELD_BYTES);
}, 240_000);

it('turns in progress that a greedy user has leave others their own', async () => {
  const [greedy, modest] = [anOwner({ project_id }), anOwner({ project_id })];
  const chat = test.app.get(ChatService);
  const slots = test.app.get(TurnSlots);
  const others = Array.from({ length: TURN_SLOTS - 1 }, () => slots.acquire([ownerKey(greedy)], () => undefined));
  const ask = (owner: Owner, request: string) => chat.streamTurn({ owner, avatar_id: PUPPET._id, request });
  const newest = ask(greedy, 'hang');
  expect((await newest.next()).value).toMatchObject({ event: 'outgoing' });
  await expect(ask(greedy, 'one').next()).rejects.toMatchObject({ code: 'service_unavailable' });
  const cut = newest.next().catch((error: unknown) => error);
  const answered = await chat.createTurn({ owner: modest, avatar_id: PUPPET._id, request: 'one' });
  expect(answered).toMatchObject({ incoming: { answer: 'You said: one' } });
  expect(await cut).toMatchObject({ code: 'service_unavailable' });
  for (const release of others) release();
});

describe('whatever else users share', () => {
  /** Shares and queues with shares that services have, by their names. */
  const findShares = () =>
    test.app
      .get(DiscoveryService, { strict: false })
      .getProviders()
      .flatMap(({ instance }: { instance: object }) =>
        Object.entries(instance ?? {})
          .filter(([, value]) => value instanceof FairShare || value instanceof FairQueue)
          .map(([field, value]) => [`${instance.constructor.name}.${field}`, value as FairShare | FairQueue] as const),
      );

  it('has shares', () => {
    expect([...new Set(findShares().map(([name]) => name))].sort()).toEqual([
      'AvatarTrial.places',
      'EventStreams.slots',
      'GreetingsService.places',
      'HistoryReads.queue',
      'LateWrites.places',
      'LiveSessions.slots',
      'LiveSessions.waitingPlaces',
      'LlamaModels.loads',
      'LlamaModels.slots',
      'Recognition.share',
      'Recognition.turns',
      'ResponseMemory.share',
      'TurnSlots.share',
      'VideoRenderer.places',
    ]);
  });

  it('leaves a modest user a part, however many users a greedy client is', async () => {
    for (const [name, share] of findShares()) {
      const size = name === 'ResponseMemory.share' ? 2 ** 20 : 1;
      const releases: (() => void)[] = [];
      let isFull = false;
      for (let n = 0; !isFull; n++) {
        const holders = [`greedy-${n}`, '192.0.2.1'];
        const release = share instanceof FairShare ? share.acquire(holders, () => undefined, size) : undefined;
        if (release) releases.push(release);
        else if (share instanceof FairShare) isFull = true;
        else {
          void share.enter(holders).then(
            (leave) => releases.push(leave),
            () => (isFull = true),
          );
          await new Promise(setImmediate);
        }
      }
      const holders = ['modest', '192.0.2.2'];
      if (share instanceof FairShare) {
        const release = share.acquire(holders, () => undefined, size);
        expect([name, release]).toEqual([name, expect.any(Function)]);
        release!();
      } else {
        const modest = share.enter(holders);
        releases.shift()!();
        (await modest)();
      }
      while (releases.length > 0) {
        for (const release of releases.splice(0)) release();
        await new Promise(setImmediate);
      }
    }
  }, 240_000);
});
