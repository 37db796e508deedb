import { setTimeout as delay } from 'node:timers/promises';
import { getConnectionToken } from '@nestjs/mongoose';
import fc from 'fast-check';
import type { Connection } from 'mongoose';
import { AdminService } from '../../src/admin/index.js';
import { MessageArchive } from '../../src/messages/index.js';
import { MessageRecorder } from '../../src/messages/message.recorder.js';
import { MessageRemoval } from '../../src/messages/message.removal.js';
import { MessageRetention } from '../../src/messages/message.retention.js';
import { ConnectionService } from '../../src/connection/connection.service.js';
import { createEmbeddedMongo, type EmbeddedMongo } from 'avatar-chat-embedded-mongo';
import { WebhookSender } from 'avatar-chat-runtime';
import { ErasureFences } from '../../src/erasure/index.js';
import { FileService } from '../../src/files/index.js';
import { CatalogueService, type Owner, TurnService } from '../../src/index.js';
import { createTestApp, type TestApp } from '../../src/testing/index.js';
import { WebhookDispatcher } from '../../src/webhooks/webhook.dispatcher.js';
import { anOwner, aProject, aRecording } from '../support/index.js';
import { stagedCatalogue, PausePointsModule } from '../support/pause-points.js';
import { type Actor, actorAtWork, type Fault, interleave, stepCommands, stepOutside } from './stepped-commands.js';

const RUNS = Number(process.env.RUNS ?? 200);
const SEED = Number(process.env.SEED ?? Date.now() % 2 ** 31);
const MINUTE = 60_000;
const KINDS = ['turn', 'spoken turn', 'recording', 'import', 'session', 'sweep', 'hand on'] as const;

interface Plan {
  kind: (typeof KINDS)[number];
  process: 0 | 1;
  fault?: Fault;
}
interface Player extends Actor, Plan {
  /** The number of erasures when it started. */
  fence?: number;
  failed: boolean;
}

/** Two processes of one service. */
let apps: [TestApp, TestApp];
let store: EmbeddedMongo;
const delivered: { type: string; user_id: string; body: string }[] = [];

beforeAll(async () => {
  stepCommands();
  store = await createEmbeddedMongo({ path: ':memory:', port: 0 });
  const uri = store.uri.replace('/?', '/model?');
  const first = await createTestApp({ modules: [PausePointsModule], config: { database: { kind: 'mongodb', uri } } });
  const second = await createTestApp({
    modules: [PausePointsModule],
    clock: first.clock,
    config: { database: first.config.database },
  });
  apps = [first, second];
  for (const { app } of apps) {
    const sender = app.get(WebhookSender, { strict: false });
    jest.spyOn(sender, 'send').mockImplementation(async ({ body }) => {
      await stepOutside('deliver');
      const { type, data } = JSON.parse(body);
      delivered.push({ type, user_id: data.user_id, body });
      return { status: 204 };
    });
    const erasures = app.get(ErasureFences, { strict: false });
    const { currentFence } = erasures;
    erasures.currentFence = async () => {
      const number = await currentFence.call(erasures);
      const player = actorAtWork() as Player | undefined;
      if (player) player.fence ??= number;
      return number;
    };
  }
});
afterAll(async () => {
  await apps?.[1].app.close();
  await apps?.[0].close();
  await store.close();
});

const collection = (name: string) => apps[0].app.get<Connection>(getConnectionToken()).db!.collection(name);

async function play(player: Player, owner: Owner): Promise<void> {
  const { app, clock } = apps[player.process];
  const get = <T>(type: abstract new (...args: never[]) => T) => app.get<T>(type as never, { strict: false });
  const turn = async (more: object) => {
    const input = { owner, avatar_id: 'staged', request: player.name, ...more };
    for await (const _ of get(TurnService).runTurn(input)) void _;
  };
  const message = (n: number) => ({
    _id: `${owner.user_id}-${player.name}-${n}`.replaceAll(' ', '-'),
    ...owner,
    direction: 'outgoing' as const,
    request: player.name,
    avatar_id: 'staged',
    date: 1_700_000_000_000 + n,
    chat_type: 'text' as const,
    language_code: 'en',
  });
  switch (player.kind) {
    case 'turn':
      return turn({});
    case 'spoken turn':
      return turn({ chat_type: 'voice' });
    case 'recording': {
      const fence = await get(ErasureFences).currentFence();
      const file = await get(FileService).save(owner, [aRecording()]);
      return turn({ file, fence });
    }
    case 'import': {
      const archive = get(MessageArchive);
      const fence = await archive.currentFence();
      for (const n of [0, 1]) await archive.add([message(n)], fence);
      return;
    }
    case 'session':
      return void (await get(ConnectionService).open(owner));
    case 'sweep':
      return void (await get(MessageRetention).sweep());
    case 'hand on':
      return get(MessageRecorder).enqueuePending(clock.now(), clock.now());
  }
}

/** Delivers what is due, and runs the sweeps of the next day. */
async function settle(owner: Owner): Promise<void> {
  const [{ app, clock }] = apps;
  const now = Date.now() + 2000;
  await app.get(MessageRetention, { strict: false }).sweep();
  await app.get(MessageRecorder, { strict: false }).enqueuePending(clock.now(), clock.now());
  clock.advance(2 * MINUTE);
  const dispatcher = app.get(WebhookDispatcher, { strict: false }) as unknown as { dispatch(): Promise<void> };
  const waiting = () => collection('outbox').countDocuments({ project_id: owner.project_id, state: 'pending' });
  for (let n = 0; n < 500 && (await waiting()) > 0; n++) {
    await dispatcher.dispatch();
    await delay(2);
  }
  clock.advance(-2 * MINUTE);
  const files = app.get(FileService, { strict: false });
  await files.sweep(now);
  await files.sweepUnused(now, (ids) => app.get(MessageRemoval, { strict: false }).filesInUse(ids));
}

async function verify(owner: Owner, players: readonly Player[], erased: number, isProject: boolean): Promise<void> {
  const { project_id, user_id } = owner;
  const messages = await collection('messages').find({ project_id }).toArray();
  const files = await collection('files.files').find({ 'metadata.project_id': project_id }).toArray();
  const outbox = await collection('outbox').find({ project_id }).toArray();
  const ids = new Set(messages.map(({ _id }) => String(_id)));
  const used = messages.flatMap(({ file_id }) => (file_id === undefined ? [] : String(file_id)));
  const told = delivered.filter((delivery) => delivery.user_id === user_id);
  const after = told.slice(told.findIndex(({ type }) => type === 'user.erased') + 1);
  for (const player of players) {
    const theirs = messages.filter(({ request }) => request === player.name);
    if (player.fence === undefined) expect(theirs).toEqual([]);
    else if (player.fence < erased) {
      expect(theirs).toEqual([]);
      if (told.some(({ type }) => type === 'user.erased'))
        expect(after.filter(({ body }) => body.includes(player.name))).toEqual([]);
    } else if (!player.failed && !player.fault && !isProject) expect(theirs).toHaveLength(2);
  }
  // No file without its message, and no message without its file.
  expect(files.map(({ _id }) => String(_id)).sort()).toEqual(used.sort());
  expect(await collection('files.chunks').countDocuments({ files_id: { $nin: files.map(({ _id }) => _id) } })).toBe(0);
  const about = outbox.filter(({ type }) => type === 'message.created' || type === 'turn.failed');
  expect(about.filter(({ data }) => !ids.has(data.message_id))).toEqual([]);
  const sessions = new Set((await collection('sessions').find({ project_id }).toArray()).map(({ _id }) => String(_id)));
  const opened = outbox.filter(({ type, state }) => type === 'session.started' && state === 'pending');
  expect(opened.filter(({ data }) => !sessions.has(data.session))).toEqual([]);
  if (isProject) expect(outbox).toEqual([]);
}

async function clear(project_id: string): Promise<void> {
  for (const name of ['messages', 'sessions', 'outbox', 'projects']) {
    const which = name === 'projects' ? { _id: project_id as never } : { project_id };
    await collection(name).deleteMany(which);
  }
  await collection('erasures').deleteMany({ project_id });
  await collection('files.files').deleteMany({});
  await collection('files.chunks').deleteMany({});
  delivered.length = 0;
}

const fault = fc.record({ kind: fc.constantFrom('end', 'lose'), at: fc.nat(14) });
const plan = fc.record({
  kind: fc.constantFrom(...KINDS),
  process: fc.constantFrom(0, 1),
  fault: fc.option(fault, { nil: undefined, freq: 2 }),
});
const erasure = fc.record({
  of: fc.constantFrom('user', 'user', 'project'),
  process: fc.constantFrom(0, 1),
  fault: fc.option(fault, { nil: undefined, freq: 3 }),
});

it('whatever is in progress when a user is erased or a project removed leaves nothing, in any order, whatever fails', async () => {
  process.stderr.write(`RUNS=${RUNS} SEED=${SEED}\n`);
  const property = fc.asyncProperty(
    fc.scheduler(),
    fc.array(plan as fc.Arbitrary<Plan>, { minLength: 1, maxLength: 4 }),
    erasure,
    async (order, plans, { of, process: by, fault: eraserFault }) => {
      const project_id = aProject();
      const webhooks = [{ name: 'crm', url: 'http://127.0.0.1:9/' }];
      await apps[0].app.get(CatalogueService).apply(stagedCatalogue(project_id, { webhooks }));
      const owner = anOwner({ project_id });
      const players = plans.map((one, index): Player => ({
        ...one,
        name: `${one.kind} ${index}`,
        commands: 0,
        ended: false,
        failed: false,
      }));
      const admin = apps[by as 0 | 1].app.get(AdminService, { strict: false });
      const erase = async () =>
        void (of === 'user' ? await admin.eraseUser(owner) : await admin.eraseProject(project_id));
      const eraser: Actor = { name: 'erasure', fault: eraserFault as Fault | undefined, commands: 0, ended: false };
      let mustRepeat = false;
      await interleave(order, [
        ...players.map((player): [Actor, () => Promise<unknown>] => [
          player,
          () => play(player, owner).catch(() => (player.failed = true)),
        ]),
        [eraser, () => erase().catch(() => (mustRepeat = true))],
      ]);
      // It reports the failure; the operator then has to run it again.
      if (mustRepeat) await erase().catch(() => undefined);
      const numbers = await collection('erasures').find({ project_id }).toArray();
      await settle(owner);
      await verify(owner, players, Math.max(...numbers.map(({ number }) => Number(number))), of === 'project');
      await clear(project_id);
    },
  );
  await fc.assert(property, {
    numRuns: RUNS,
    seed: SEED,
    path: process.env.REPLAY,
    endOnFailure: process.env.SHRINK !== 'on',
  });
});
