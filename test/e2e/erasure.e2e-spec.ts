import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { AdminService } from '../../src/admin/index.js';
import { MessageArchive } from '../../src/messages/index.js';
import { MessageRecorder } from '../../src/messages/message.recorder.js';
import { MessageRetention } from '../../src/messages/message.retention.js';
import { ErasureFences } from '../../src/erasure/index.js';
import { CatalogueService, ChatService, type Owner } from '../../src/index.js';
import {
  anOwner,
  anyServer,
  aProject,
  aRecording,
  aTurn,
  createTestApp,
  type Receiver,
  startReceiver,
  type TestApp,
} from '../support/index.js';
import { stagedCatalogue, PausePoints, PausePointsModule } from '../support/pause-points.js';

let test: TestApp;
/** Another process of the same service. */
let other: TestApp;
let receiver: Receiver;
let project_id: string;
let owner: Owner;
let token: string;
let port: number;

beforeAll(async () => {
  test = await createTestApp({ server: anyServer(), modules: [PausePointsModule] });
  other = await createTestApp({
    server: anyServer(),
    modules: [PausePointsModule],
    clock: test.clock,
    config: { database: test.config.database },
  });
  port = await test.listen();
});
afterAll(async () => {
  await other.app.close();
  await test.close();
});
beforeEach(async () => {
  receiver = await startReceiver();
  project_id = aProject();
  const webhooks = [{ name: 'crm', url: receiver.url }];
  await test.app.get(CatalogueService).apply(stagedCatalogue(project_id, { webhooks }));
  owner = anOwner({ project_id });
  token = await test.token(owner.user_id, project_id);
});
afterEach(() => receiver.close());
afterEach(() => jest.restoreAllMocks());

const pausePoints = () => test.app.get(PausePoints);
const admin = (app = test) => app.app.get(AdminService, { strict: false });
const collection = (name: string) => test.app.get<Connection>(getConnectionToken()).collection(name);
const say = (body: object, headers: Record<string, string> = {}) =>
  test.call({ method: 'POST', path: '/chat', token, body: { avatar_id: 'staged', ...body }, headers });

const FORM = [
  '--x\r\nContent-Disposition: form-data; name="avatar_id"\r\n\r\nstaged',
  '\r\n--x\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\nContent-Type: audio/wav\r\n\r\n',
];
/** Uploads a recording, and its last part only on request. */
const dictate = () => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'multipart/form-data; boundary=x' };
  const call = httpRequest({ port, host: '127.0.0.1', method: 'POST', path: '/chat', headers });
  const wav = aRecording(40);
  call.write(FORM[0]! + FORM[1]!);
  call.write(wav.subarray(0, 400_000));
  return {
    finish: () => {
      call.write(wav.subarray(400_000));
      call.end('\r\n--x--\r\n');
    },
    answer: once(call, 'response').then(async ([response]) => ({
      status: (response as IncomingMessage).statusCode,
      body: (await json(response as IncomingMessage)) as { error: string },
    })),
  };
};
/** Every trace of the user except the record of the erasure and its event. */
const traces = async () => ({
  messages: await collection('messages').countDocuments({ ...owner }),
  files: await collection('files.files').countDocuments({ 'metadata.user_id': owner.user_id }),
  pieces: await strayPieces(),
  sessions: await collection('sessions').countDocuments({ ...owner }),
  outbox: await collection('outbox').countDocuments({ ...owner, type: { $ne: 'user.erased' } }),
});
const strayPieces = async () => {
  const known = await collection('files.files').distinct('_id');
  return collection('files.chunks').countDocuments({ files_id: { $nin: known } });
};
const NONE = { messages: 0, files: 0, pieces: 0, sessions: 0, outbox: 0 };
const heard = () => receiver.received.map(({ event }) => event.type);

describe.each([
  ['its process', () => test],
  ['another process', () => other],
])('a turn in progress when its user is erased by %s', (_, eraser) => {
  const erase = () => admin(eraser()).eraseUser(owner);
  const assertNothingLeft = async () => {
    test.clock.advance(20_000);
    await receiver.until(() => heard().includes('user.erased'));
    await test.app.get(MessageRecorder).enqueuePending(test.clock.now(), test.clock.now());
    expect(await traces()).toEqual(NONE);
    const after = receiver.received.slice(heard().indexOf('user.erased') + 1);
    expect(after).toEqual([]);
  };

  it.each(['engine', 'speaker'] as const)('stores nothing while its %s is at work, and reports it', async (at) => {
    pausePoints()[at].hold();
    const turn = say({ request: 'secret words', chat_type: 'voice' }, { 'idempotency-key': 'k' });
    await pausePoints()[at].arrived;
    await receiver.until(() => heard().length === 1);
    await erase();
    pausePoints()[at].open();
    expect(await turn).toMatchObject({ status: 410, body: { error: 'user_erased' } });
    await assertNothingLeft();
  });

  it('stores nothing while a recording is transcribed', async () => {
    pausePoints().transcriber.hold();
    const { finish, answer } = dictate();
    finish();
    await pausePoints().transcriber.arrived;
    await erase();
    pausePoints().transcriber.open();
    expect(await answer).toMatchObject({ status: 410, body: { error: 'user_erased' } });
    await assertNothingLeft();
  });

  it('stores nothing while a recording is uploaded', async () => {
    const { finish, answer } = dictate();
    await receiver.until(async () => (await strayPieces()) > 0);
    await erase();
    finish();
    expect(await answer).toMatchObject({ status: 410, body: { error: 'user_erased' } });
    await assertNothingLeft();
  });

  it('ends without waiting for its engine', async () => {
    const before = pausePoints().stopped;
    pausePoints().engine.hold();
    const turn = say({ request: 'secret words' });
    await pausePoints().engine.arrived;
    await erase();
    expect(await turn).toMatchObject({ status: 410, body: { error: 'user_erased' } });
    expect(pausePoints().stopped).toBe(before + 1);
    await assertNothingLeft();
    pausePoints().engine.open();
  });

  it('allows the user to start anew', async () => {
    await say({ request: 'before' });
    await erase();
    expect((await say({ request: 'after' })).status).toBe(201);
    await erase();
    expect((await say({ request: 'after' })).status).toBe(201);
    await test.app.get(MessageRetention).sweep();
    expect(await traces()).toMatchObject({ messages: 2 });
  });
});

it('a project that was erased, added again and removed keeps its later messages, and no leftovers', async () => {
  await say({ request: 'before' });
  const leftover = await collection('messages').findOne({ ...owner, direction: 'outgoing' });
  await admin().eraseProject(project_id);
  await test.app.get(CatalogueService).apply(stagedCatalogue(project_id));
  token = await test.token(owner.user_id, project_id);
  await say({ request: 'after' });
  await admin().removeProject(project_id);
  await collection('messages').insertOne({ ...leftover!, user_id: 'another' });
  await test.app.get(MessageRetention).sweep();
  const kept = await collection('messages').find({ project_id }).toArray();
  expect(kept.map(({ user_id, request }) => `${user_id} ${request}`)).toEqual(Array(2).fill(`${owner.user_id} after`));
});

it('a turn in progress when its project is removed stores nothing more', async () => {
  pausePoints().engine.hold();
  const turn = say({ request: 'secret words' });
  await pausePoints().engine.arrived;
  await admin(other).removeProject(project_id);
  pausePoints().engine.open();
  expect(await turn).toMatchObject({ status: 401, body: { error: 'project_not_found' } });
  expect(await traces()).toEqual({ ...NONE, messages: 1 });
});

it('a turn whose engine hangs when its project is removed ends within about a second', async () => {
  pausePoints().engine.hold();
  const turn = say({ request: 'secret words' });
  await pausePoints().engine.arrived;
  await admin(other).removeProject(project_id);
  expect(await turn).toMatchObject({ status: 401, body: { error: 'project_not_found' } });
  expect(await traces()).toEqual({ ...NONE, messages: 1 });
});

it('a turn in a process that has not noticed the removal of its project stores nothing', async () => {
  await admin(other).removeProject(project_id);
  expect(await say({ request: 'secret words' })).toMatchObject({ status: 401, body: { error: 'project_not_found' } });
  expect(await traces()).toEqual(NONE);
});

it('what a module records while its user is erased is removed', async () => {
  const erasures = test.app.get(ErasureFences, { strict: false });
  const before = await erasures.currentFence();
  jest.spyOn(erasures, 'currentFence').mockResolvedValueOnce(before);
  await admin().eraseUser(owner);
  await expect(test.app.get(ChatService).record(aTurn({ owner }))).rejects.toMatchObject({ code: 'user_erased' });
  expect(await traces()).toEqual(NONE);
});

it("an import continues after an erasure without the erased user's messages", async () => {
  const archive = test.app.get(MessageArchive, { strict: false });
  const message = (_id: string, { user_id } = owner) => ({
    _id: `${_id}-${project_id}`,
    project_id,
    user_id,
    direction: 'outgoing' as const,
    request: 'secret words',
    avatar_id: 'ada',
    date: 1_700_000_000_000,
    chat_type: 'text' as const,
    language_code: 'en',
  });
  const fence = await archive.currentFence();
  expect(await archive.add([message('a')], fence)).toEqual(['new']);
  await admin(other).eraseUser(owner);
  const batch = [message('b'), message('c', anOwner()), message('d')];
  expect(await archive.add(batch, fence)).toEqual(['erased', 'new', 'erased']);
  expect(await traces()).toMatchObject({ messages: 0 });
  expect(await archive.add(batch)).toEqual(['new', 'stored', 'new']);
});

describe('a process that ends between a write and its check', () => {
  const lose = async () => {
    const erasures = test.app.get(ErasureFences, { strict: false });
    const before = await erasures.currentFence();
    jest.spyOn(erasures, 'currentFence').mockResolvedValueOnce(before);
    const checked = jest.spyOn(erasures, 'assertNotErased').mockReturnValueOnce(new Promise(() => undefined));
    await admin().eraseUser(owner);
    void test.app.get(ChatService).record(aTurn({ owner }));
    await receiver.until(() => checked.mock.calls.length > 0);
    expect(await traces()).toMatchObject({ messages: 2 });
  };

  it('leaves messages that the next sweep removes', async () => {
    await lose();
    await other.app.get(MessageRetention).sweep();
    expect(await traces()).toEqual(NONE);
  });

  it('leaves messages that no webhook gets', async () => {
    await lose();
    test.clock.advance(10_000);
    await other.app.get(MessageRecorder).enqueuePending(test.clock.now() - 5000, test.clock.now());
    expect(await traces()).toEqual(NONE);
    test.clock.advance(20_000);
    await receiver.until(() => heard().includes('user.erased'));
    expect(heard().filter((type) => type !== 'user.erased')).toEqual([]);
  });
});

it('a message reaches a webhook before its erasure does, or not at all', async () => {
  await admin().eraseUser(owner);
  const entry = await collection('outbox').findOne({ ...owner, type: 'user.erased' });
  expect(entry!.due).toBe(test.clock.now() + (test.config.webhookTimeoutSeconds + 1) * 1000);
});

it('the outbox removes the names of erased users once they are delivered', async () => {
  await admin().eraseUser(owner);
  test.clock.advance(20_000);
  await receiver.until(() => heard().includes('user.erased'));
  const pending = () => collection('outbox').countDocuments({ ...owner });
  await receiver.until(async () => (await pending()) === 0);
  expect(await pending()).toBe(0);
});
