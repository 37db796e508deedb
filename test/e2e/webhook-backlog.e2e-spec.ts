import { Logger } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { CatalogueService, ChatService, Owner } from '../../src/index.js';
import { AdminService } from '../../src/admin/index.js';
import { EventsService } from '../../src/events/index.js';
import { Metrics } from '../../src/platform/metrics/index.js';
import { OutboxRepository } from '../../src/webhooks/outbox.repository.js';
import { anyServer, aProject, aTurn, aUser, createTestApp, startReceiver, type TestApp } from '../support/index.js';

const BACKLOG = 10;

let test: TestApp;
beforeAll(async () => (test = await createTestApp({ server: anyServer(), config: { webhookBacklog: BACKLOG } })));
afterAll(() => test.close());

const entries = () => test.app.get<Connection>(getConnectionToken()).collection('outbox');
async function aProjectTold(url: string): Promise<string> {
  const project_id = aProject();
  const project = { project_id, avatars: ['ada'], languages: ['en'], webhooks: [{ name: 'crm', url }] };
  await test.app.get(CatalogueService).apply(JSON.stringify({ projects: [project] }));
  return project_id;
}

it('a receiver that is down, with 20,000 pending events, does not delay another one', async () => {
  const project_id = aProject();
  const { clock } = test;
  await entries().insertMany(
    Array.from({ length: 20_000 }, (_, n) => ({
      _id: `evt_${n}.down` as never,
      event_id: `evt_${n}`,
      type: 'session.started',
      date: clock.now() - n,
      project_id,
      user_id: 'ann',
      webhook: 'down',
      queue: `${project_id}/down`,
      data: {},
      state: 'pending',
      attempts: 0,
      due: clock.now() - n,
      expires_at: new Date(clock.now() + 1e9),
    })),
  );
  const acquired = jest.spyOn(test.app.get(OutboxRepository, { strict: false }), 'acquire');
  const receiver = await startReceiver();
  const told = await aProjectTold(receiver.url);
  await test.app.get(ChatService).record(aTurn({ owner: new Owner(told, aUser()) }));
  await receiver.until(() => receiver.received.length === 2);
  const queues = acquired.mock.calls.map(([, , queue]) => queue);
  expect(queues).toContain(`${told}/crm`);
  // The others are tried as well, in turn, until their circuit breaker opens.
  await receiver.until(
    () => queues.length > 2 && acquired.mock.calls.some(([, , one]) => one === `${project_id}/down`),
  );
  const metrics = () => test.app.get(Metrics, { strict: false }).registry.metrics();
  await receiver.until(async () => (clock.advance(5000), /^webhook_pending \d{5}$/m.test(await metrics())));
  expect(await metrics()).toMatch(/^webhook_oldest_seconds \d{2,}/m);
  await entries().deleteMany({ project_id });
  acquired.mockRestore();
  await receiver.close();
});

it('at most so many events wait for a webhook: the others are dropped, counted and shown', async () => {
  const receiver = await startReceiver();
  receiver.answer = (response) => void response.writeHead(500).end();
  const project_id = await aProjectTold(receiver.url);
  const owner = new Owner(project_id, aUser());
  const events = test.app.get(EventsService, { strict: false });
  const given = (n: number) => events.emit('ratings.given', owner, { n });
  const warned = jest.spyOn(Logger.prototype, 'warn');
  const line = `Events of the webhook ${project_id}/crm are dropped: WEBHOOK_BACKLOG (${BACKLOG}) others wait`;
  const lines = () => warned.mock.calls.filter(([message]) => message === line).length;
  for (let n = 0; n < 8; n++) await given(n);
  expect(lines()).toBe(0);
  await Promise.all(Array.from({ length: 21 }, (_, n) => given(n)));
  test.clock.advance(59_000);
  await given(29);
  expect(lines()).toBe(1);
  expect(await entries().countDocuments({ project_id, state: 'pending' })).toBe(BACKLOG);
  const deliveries = await test.app.get(AdminService, { strict: false }).listDeliveries(project_id);
  const dropped = deliveries.filter(({ state }) => state === 'dropped');
  expect(dropped).toEqual([
    expect.objectContaining({ project_id, webhook: 'crm', user_id: '', dropped: 30 - BACKLOG, attempts: 0 }),
  ]);
  const metrics = await test.app.get(Metrics, { strict: false }).registry.metrics();
  expect(metrics).toMatch(new RegExp(`^webhook_dropped_total ${30 - BACKLOG}$`, 'm'));
  test.clock.advance(2000);
  await given(30);
  expect(lines()).toBe(2);
  warned.mockRestore();
  // There is room again when the receiver is back.
  receiver.answer = (response) => void response.writeHead(204).end();
  await entries().updateMany({ project_id, state: 'pending' }, { $set: { due: 0 }, $unset: { lease: 1 } });
  const delivered = async () => {
    // Until the circuit breaker that the failures have opened may close.
    test.clock.advance(10_000);
    return entries().countDocuments({ project_id, state: 'delivered' });
  };
  await receiver.until(async () => (await delivered()) === BACKLOG);
  await given(31);
  await receiver.until(async () => (await delivered()) > BACKLOG);
  await receiver.close();
});
