import { Injectable, Module } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import { type Connection, Types } from 'mongoose';
import { MessageRecorder } from '../../src/messages/message.recorder.js';
import { CatalogueService, ChatService, OnEvent, Owner, type ServiceEvent } from '../../src/index.js';
import {
  aProject,
  aTurn,
  aUser,
  createTestApp,
  onEachServer,
  type Receiver,
  startReceiver,
  type TestApp,
} from '../support/index.js';

const HOUR = 3_600_000;

@Injectable()
class EventRecorder {
  readonly heard: ServiceEvent[] = [];

  @OnEvent('message.created')
  hear(event: ServiceEvent<'message.created'>): void {
    this.heard.push(event);
  }
}
@Module({ providers: [EventRecorder] })
class EarModule {}

onEachServer((server) => {
  let test: TestApp;
  let receiver: Receiver;
  const [told, untold] = [aProject(), aProject()];
  beforeAll(async () => {
    receiver = await startReceiver();
    test = await createTestApp({ server, modules: [EarModule] });
    const project = { avatars: ['ada'], languages: ['en'] };
    const webhooks = [{ name: 'crm', url: receiver.url }];
    await test.app.get(CatalogueService).apply(
      JSON.stringify({
        projects: [
          { ...project, project_id: told, webhooks },
          { ...project, project_id: untold },
        ],
      }),
    );
  });
  afterAll(async () => {
    await test.close();
    await receiver.close();
  });

  const collection = (name: string) => test.app.get<Connection>(getConnectionToken()).db!.collection(name);
  const kept = async (owner: Owner) =>
    (
      await collection('outbox')
        .find({ ...owner })
        .toArray()
    )
      .map(({ event_id }) => event_id)
      .sort();
  const unpublished = async (owner: Owner) =>
    (
      await collection('messages')
        .find({ ...owner, unpublished_since: { $exists: true } })
        .toArray()
    ).map(({ _id }) => _id);
  const idOf = (_id: unknown) => `evt_${String(_id)}`;

  it('notifies listeners of each message, with its session if it has one, whether or not webhooks subscribe', async () => {
    for (const project_id of [told, untold]) {
      const owner = new Owner(project_id, aUser());
      const { outgoing, incoming } = await test.app.get(ChatService).record(aTurn({ owner }));
      const { answer: _a, owner: _o, avatar_name: _n, ...said } = aTurn();
      const asked = { ...said, direction: 'outgoing' as const, session: 's'.repeat(22) };
      const [message] = await test.app.get(MessageRecorder).append(owner, [asked], test.clock.now());
      const { _id, date, user_id } = message!;
      const event = (of: { _id: string; date: number }, data: object) => ({
        id: idOf(of._id),
        type: 'message.created',
        date: of.date,
        data: { project_id, ...data },
      });
      const heard = test.app
        .get(EventRecorder, { strict: false })
        .heard.filter(({ data }) => data.user_id === owner.user_id);
      expect(heard).toEqual([
        event(outgoing, outgoing),
        event(incoming, incoming),
        event({ _id, date }, { _id, date, user_id, ...asked }),
      ]);
    }
  });

  it('puts each message into the outbox if a webhook subscribes to it, and leaves no mark', async () => {
    const [heard, unheard] = [new Owner(told, aUser()), new Owner(untold, aUser())];
    const { outgoing, incoming } = await test.app.get(ChatService).record(aTurn({ owner: heard }));
    await test.app.get(ChatService).record(aTurn({ owner: unheard }));
    expect(await unpublished(unheard)).toEqual([]);
    await receiver.until(async () => (await unpublished(heard)).length === 0);
    expect(await kept(heard)).toEqual([idOf(outgoing._id), idOf(incoming._id)].sort());
    expect(await kept(unheard)).toEqual([]);
    await receiver.until(
      () => receiver.received.filter(({ event }) => event.data.user_id === heard.user_id).length === 2,
    );
    const sent = receiver.received.filter(({ event }) => event.data.user_id === heard.user_id);
    expect(sent.map(({ event }) => event.data)).toEqual(
      expect.arrayContaining([
        { project_id: told, ...outgoing },
        { project_id: told, ...incoming },
      ]),
    );
  });

  it('relays what a crashed process left unpublished, however much, and not what may still be in progress', async () => {
    const owner = new Owner(told, aUser());
    const now = test.clock.now();
    const left = (unpublished_since: number, n: number) => ({
      _id: new Types.ObjectId().toHexString(),
      ...owner,
      direction: 'outgoing',
      request: String(n),
      avatar_id: 'ada',
      date: now + n,
      chat_type: 'text',
      language_code: 'en',
      follows: `${owner.user_id}-${n}`,
      unpublished_since,
    });
    // More than one batch, and two that are newer than that.
    const [old, young] = [[...Array(101).keys()].map((n) => left(now - HOUR, n)), [101, 102].map((n) => left(now, n))];
    // By a clock that has been set back since.
    old.push(left(now + HOUR, 103));
    await collection('messages').insertMany([...old, ...young] as never);
    await test.app.get(MessageRecorder).enqueuePending(now - HOUR, now);
    expect((await unpublished(owner)).sort()).toEqual(young.map(({ _id }) => _id).sort());
    expect(await kept(owner)).toEqual(old.map(({ _id }) => idOf(_id)).sort());
  });

  it('finds what is to be sent, only for its owner', async () => {
    const owner = new Owner(told, aUser());
    const { outgoing } = await test.app.get(ChatService).record(aTurn({ owner }));
    const recorder = test.app.get(MessageRecorder);
    expect(await recorder.find(told, owner.user_id, outgoing._id)).toEqual({ project_id: told, ...outgoing });
    expect(await recorder.find(told, aUser(), outgoing._id)).toBeUndefined();
    expect(await recorder.find(untold, owner.user_id, outgoing._id)).toBeUndefined();
    expect(await recorder.find(told, owner.user_id, 'another')).toBeUndefined();
  });
});
