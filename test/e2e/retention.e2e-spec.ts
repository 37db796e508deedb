import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, Module } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import { type Connection, Types } from 'mongoose';
import {
  AdminService,
  CatalogueService,
  ChatService,
  ErasableData,
  OnEvent,
  type ServiceEvent,
} from '../../src/index.js';
import { FileService } from '../../src/files/index.js';
import { MessageExpiry } from '../../src/messages/message.expiry.js';
import { MessageRetention } from '../../src/messages/message.retention.js';
import { PUPPET, PuppetModule } from '../support/engines.js';
import { anOwner, aProject, aRecording, aTurn, createTestApp, onEachServer, type TestApp } from '../support/index.js';
import { PausePointsModule } from '../support/pause-points.js';

const DAY = 86_400_000;

/** The log lines about removals. */
const removals = (said: jest.SpyInstance) =>
  said.mock.calls.map(([message]) => String(message)).filter((message) => message.startsWith('Removed'));

/** A slow listener for removed messages. */
@Injectable()
class EventRecorder {
  readonly heard: ServiceEvent<'messages.removed'>['data'][] = [];

  @OnEvent('messages.removed')
  async forget({ data }: ServiceEvent<'messages.removed'>): Promise<void> {
    await delay(20);
    this.heard.push(data);
  }
}
/** Data of a module whose store is down. */
@Injectable()
class LostData extends ErasableData {
  readonly name = 'lost';
  isDown = false;

  override async eraseLeftovers(): Promise<void> {
    if (this.isDown) throw new Error('The store is down');
  }
}
@Module({ providers: [EventRecorder, LostData] })
class EarsModule {}

onEachServer((server) => {
  let test: TestApp;
  beforeAll(
    async () => (test = await createTestApp({ server, modules: [EarsModule, PuppetModule, PausePointsModule] })),
  );
  afterAll(() => test.close());

  // Before the test clock is far ahead of the system's, which dates file identifiers.
  it('files that a crash has left without a message are removed after a day, and no others', async () => {
    const db = test.app.get<Connection>(getConnectionToken()).db!;
    const files = test.app.get(FileService, { strict: false });
    const sweeper = test.app.get(MessageRetention);
    const owner = anOwner();
    const save = () => files.save(owner, [aRecording()]);
    // Files are dated by the system's clock, and the start of the application may have taken long.
    test.clock.set(Date.now() - test.clock.now());
    const [used, unused] = [await save(), await save()];
    const { outgoing } = await test.app.get(ChatService).record(aTurn({ owner }));
    await db
      .collection('messages')
      .updateOne({ _id: outgoing._id as never, ...owner }, { $set: { file_id: used.file_id } });
    test.clock.advance(DAY / 2);
    await sweeper.sweep();
    expect(await files.find(unused.file_id)).toBeDefined();
    test.clock.advance(DAY / 2 + 5000);
    const said = jest.spyOn(Logger.prototype, 'log');
    await sweeper.sweep();
    await sweeper.sweep();
    expect(await files.find(unused.file_id)).toBeUndefined();
    expect(await files.find(used.file_id)).toBeDefined();
    expect(await db.collection('files.chunks').countDocuments({ files_id: new Types.ObjectId(unused.file_id) })).toBe(
      0,
    );
    expect(removals(said)).toEqual(['Removed 1 file without a message']);
    said.mockRestore();
  });

  describe('the retention of a project', () => {
    it('removes older messages, with their files, and nothing else', async () => {
      const [days, forever] = [aProject(), aProject()];
      const project = { avatars: ['puppet'], languages: ['en'], speech: { speaker: { kind: 'staged' } } };
      await test.app.get(CatalogueService).apply(
        JSON.stringify({
          avatars: [PUPPET],
          projects: [
            { ...project, project_id: days, settings: { retentionDays: 30 } },
            { ...project, project_id: forever },
          ],
        }),
      );
      const chat = test.app.get(ChatService);
      const [kept, swept] = [anOwner({ project_id: forever }), anOwner({ project_id: days })];
      for (const owner of [kept, swept]) await chat.record(aTurn({ owner, request: 'old' }));
      const token = await test.token(swept.user_id, days);
      const spoken = await test.call({
        method: 'POST',
        path: '/chat',
        token,
        body: { avatar_id: 'puppet', request: 'Hello', chat_type: 'voice' },
      });
      const file = new URL(spoken.body.incoming.fileUrl).pathname.split('/').at(-1)!;
      test.clock.advance(20 * DAY);
      for (const owner of [kept, swept]) await chat.record(aTurn({ owner, request: 'new' }));
      test.clock.advance(10 * DAY + 1000);
      const requests = async (owner: typeof kept) =>
        (await chat.page(owner, { limit: 100 })).payload.map(({ request }) => request);
      const sweeper = test.app.get(MessageRetention);
      const ids = (await chat.page(swept, { limit: 100 })).payload.slice(2).map(({ _id }) => _id);
      const removed = await Promise.all([sweeper.sweep(), sweeper.sweep()]);
      expect(removed[0]! + removed[1]!).toBe(4);
      const before = test.clock.now() - 30 * DAY;
      const [first] = test.app.get(EventRecorder).heard;
      expect({ ...first, ids: first!.ids!.sort() }).toEqual({ project_id: days, before, ids: ids.sort() });
      expect(await requests(kept)).toEqual(['new', 'new', 'old', 'old']);
      expect(await requests(swept)).toEqual(['new', 'new']);
      expect(await test.app.get(FileService, { strict: false }).find(file)).toBeUndefined();
      expect(await sweeper.sweep()).toBe(0);
    });
  });

  it('is enforced although a module or a project fails, which is reported', async () => {
    const [broken, fine] = [aProject(), aProject()];
    const project = { avatars: ['ada'], languages: ['en'], settings: { retentionDays: 1 } };
    const projects = [broken, fine].sort().map((project_id) => ({ ...project, project_id }));
    await test.app.get(CatalogueService).apply(JSON.stringify({ projects }));
    const [first, second] = projects.map(({ project_id }) => anOwner({ project_id }));
    const chat = test.app.get(ChatService);
    for (const owner of [first!, second!]) await chat.record(aTurn({ owner }));
    await test.app.get(AdminService).eraseUser(anOwner());
    test.clock.advance(2 * DAY);
    const find = jest.spyOn(test.app.get(MessageExpiry, { strict: false }), 'findExpired');
    const { findExpired } = MessageExpiry.prototype;
    find.mockImplementation(function (this: MessageExpiry, project_id, ...rest) {
      if (project_id === first!.project_id) return Promise.reject(new Error('The files cannot be removed'));
      return findExpired.call(this, project_id, ...rest);
    });
    test.app.get(LostData).isDown = true;
    const errors: jest.SpiedFunction<Logger['error']> = jest.spyOn(Logger.prototype, 'error');
    await expect(test.app.get(MessageRetention).sweep()).rejects.toThrow('The store is down');
    expect(JSON.stringify(errors.mock.calls)).toContain('findExpired');
    find.mockRestore();
    test.app.get(LostData).isDown = false;
    const counts = await Promise.all([first!, second!].map((owner) => chat.page(owner, { limit: 9 })));
    expect(counts.map(({ payload }) => payload.length)).toEqual([2, 0]);
    expect(await test.app.get(MessageRetention).sweep()).toBe(2);
  });

  it('modules are notified of what an erasure removes before it is done', async () => {
    const owner = anOwner();
    await test.app.get(ChatService).record(aTurn({ owner }));
    await test.app.get(AdminService).eraseUser(owner);
    expect(test.app.get(EventRecorder).heard).toContainEqual({ ...owner });
  });

  it('is enforced as soon as a process starts, which logs what it has removed', async () => {
    // By a process that has the lease, which the other one has given back.
    const first = await createTestApp({ server });
    const project_id = aProject();
    const project = { project_id, avatars: ['ada'], languages: ['en'], settings: { retentionDays: 1 } };
    await first.app.get(CatalogueService).apply(JSON.stringify({ projects: [project] }));
    const owner = anOwner({ project_id });
    await first.app.get(ChatService).record(aTurn({ owner }));
    await first.app.close();
    first.clock.advance(2 * DAY);
    const said = jest.spyOn(Logger.prototype, 'log');
    const { database } = first.config;
    const second = await createTestApp({ server, clock: first.clock, config: { database } });
    const messages = second.app.get<Connection>(getConnectionToken()).collection('messages');
    while ((await messages.countDocuments({ ...owner })) > 0 || removals(said).length === 0) await delay(20);
    expect(removals(said)).toEqual(['Removed 2 messages older than their projects keep']);
    said.mockRestore();
    await second.close();
  });

  it('chunks that crashes have left are removed after a day; files, and uploads in progress, are not', async () => {
    const db = test.app.get<Connection>(getConnectionToken()).db!;
    const chunks = db.collection('files.chunks');
    let made = 0;
    const anId = (age: number) => {
      const seconds = Math.floor((test.clock.now() - age) / 1000);
      return new Types.ObjectId(seconds.toString(16).padStart(8, '0') + (++made).toString(16).padStart(16, '0'));
    };
    const piece = (files_id: Types.ObjectId, n = 0) => ({ files_id, n, data: Buffer.from('a') });
    // More than one batch, some with a second chunk, and one without its first.
    const left = Array.from({ length: 700 }, () => anId(2 * DAY));
    const [whole, arriving, later] = [anId(2 * DAY), anId(DAY / 2), anId(DAY / 4)];
    const file = { length: 1, chunkSize: 1, metadata: {} };
    await db.collection('files.files').insertOne({ _id: whole, ...file });
    const { outgoing } = await test.app.get(ChatService).record(aTurn());
    await db
      .collection('messages')
      .updateOne(
        { _id: outgoing._id as never, project_id: 'default', user_id: outgoing.user_id },
        { $set: { file_id: whole.toHexString() } },
      );
    await chunks.insertMany([
      ...left.map((id) => piece(id, id === left[9] ? 1 : 0)),
      ...left.slice(490, 510).map((id) => piece(id, 2)),
      ...[whole, arriving, later].map((id) => piece(id)),
    ]);
    const sweeper = test.app.get(MessageRetention);
    const those = [...left, whole, arriving, later];
    const kept = async () => (await chunks.distinct('files_id', { files_id: { $in: those } })).map(String).sort();
    const said = jest.spyOn(Logger.prototype, 'log');
    await sweeper.sweep();
    expect(await kept()).toEqual([whole, arriving, later].map(String).sort());
    test.clock.advance(0.6 * DAY);
    await sweeper.sweep();
    expect(await kept()).toEqual([whole, later].map(String).sort());
    await sweeper.sweep();
    expect(removals(said)).toEqual(['Removed 700 unfinished files', 'Removed 1 unfinished file']);
    said.mockRestore();
  });
});
