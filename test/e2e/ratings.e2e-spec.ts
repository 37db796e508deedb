import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { AdminService } from '../../src/admin/index.js';
import { OutboxRepository } from '../../src/webhooks/outbox.repository.js';
import { CatalogueService, ChatService, Owner } from '../../src/index.js';
import { ErasureService } from '../../src/erasure/index.js';
import { MessageArchive } from '../../src/messages/index.js';
import { MessageRemoval } from '../../src/messages/message.removal.js';
import { DatabaseUnavailableError } from '../../src/platform/database/index.js';
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

onEachServer((server) => {
  let test: TestApp;
  let receiver: Receiver;
  const project_id = aProject();
  beforeAll(async () => {
    receiver = await startReceiver();
    test = await createTestApp({ server, config: { corsOrigins: ['https://shop.example'] } });
    const webhooks = [{ name: 'crm', url: receiver.url, events: ['message.rated'] }];
    await test.app
      .get(CatalogueService)
      .apply(JSON.stringify({ projects: [{ project_id, avatars: ['ada'], languages: ['en'], webhooks }] }));
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(async () => {
    await test.close();
    await receiver.close();
  });

  const record = (owner: Owner) => test.app.get(ChatService).record(aTurn({ owner }));
  const aVisitor = async () => {
    const owner = new Owner(project_id, aUser());
    const token = await test.token(owner.user_id, project_id);
    const { outgoing, incoming } = await record(owner);
    const rate = (body: unknown, id = incoming._id) =>
      test.call({ method: 'PUT', path: `/messages/${id}/rating`, token, body });
    const ratings = async (ids: string) => test.call({ path: `/messages/ratings?ids=${ids}`, token });
    return { owner, token, outgoing, incoming, rate, ratings };
  };
  const told = ({ user_id }: Owner) =>
    receiver.received
      .map(({ event }) => event)
      .filter(({ data }) => data.user_id === user_id)
      .map(({ type, data }) => ({ type, ...data }));
  const entriesOf = (owner: Owner) =>
    test.app
      .get<Connection>(getConnectionToken())
      .db!.collection('outbox')
      .countDocuments({ ...owner });

  it('rates an answer, changes the rating and removes it', async () => {
    const { incoming, rate, ratings, owner } = await aVisitor();
    const message_id = incoming._id;
    for (const rating of ['up', 'down', 'down', null, null, 'up']) {
      expect(await rate({ rating, other: 1 })).toMatchObject({ status: 200, body: { message_id, rating } });
      expect((await ratings(`${message_id},unknown`)).body).toEqual({
        ratings: rating === null ? [] : [{ message_id, rating }],
      });
    }
    const about = { project_id, user_id: owner.user_id, message_id, chat_type: 'text', language_code: 'en' };
    await receiver.until(() => told(owner).length === 4);
    // Unchanged ratings are not published; several are sent at a time.
    expect(told(owner)).toEqual(
      expect.arrayContaining(
        ['up', 'down', null, 'up'].map((rating) => ({
          type: 'message.rated',
          ...about,
          avatar_id: incoming.avatar_id,
          rating,
        })),
      ),
    );
    expect(told(owner)).toHaveLength(4);
  });

  it.each([
    ['no body', undefined],
    ['no rating', {}],
    ['another word', { rating: 'good' }],
    ['upper case', { rating: 'UP' }],
    ['a number', { rating: 1 }],
    ['a list', { rating: ['up'] }],
    ['a list as the body', ['up']],
  ])('refuses %s', async (_, body) => {
    const { rate, ratings, incoming } = await aVisitor();
    expect(await rate(body)).toMatchObject({ status: 400, body: { error: 'invalid_rating' } });
    expect((await ratings(incoming._id)).body).toEqual({ ratings: [] });
  });

  it("responds alike for unknown, malformed, other users' and the user's own messages", async () => {
    const [one, other] = [await aVisitor(), await aVisitor()];
    const sameName = new Owner('default', one.owner.user_id);
    const elsewhere = await record(sameName);
    const unknown = await one.rate({ rating: 'up' }, '0'.repeat(24));
    expect(unknown).toMatchObject({ status: 404, body: { error: 'message_not_found' } });
    const ids = [other.incoming._id, elsewhere.incoming._id, one.outgoing._id, 'a.b', '%20', '%00', 'x'.repeat(129)];
    for (const id of ids) {
      const { status, body } = await one.rate({ rating: 'up' }, id);
      expect({ id, status, ...body, request_id: '' }).toEqual({ id, ...unknown.body, request_id: '' });
    }
    expect((await one.ratings(`${other.incoming._id},${one.outgoing._id}`)).body).toEqual({ ratings: [] });
    await other.rate({ rating: 'down' });
    expect((await one.ratings(other.incoming._id)).body).toEqual({ ratings: [] });
  });

  it.each([
    '',
    '?ids=',
    '?ids=a,',
    '?ids=a b',
    '?ids=a&ids=b',
    `?ids=${Array(101).fill('a')}`,
    `?ids=${'a'.repeat(129)}`,
  ])('refuses to read ratings of %p', async (query) => {
    const { token } = await aVisitor();
    expect(await test.call({ path: `/messages/ratings${query}`, token })).toMatchObject({
      status: 400,
      body: { error: 'invalid_ids' },
    });
  });

  it('needs a token, and supports CORS', async () => {
    const { incoming } = await aVisitor();
    const path = `/messages/${incoming._id}/rating`;
    expect((await test.call({ method: 'PUT', path, body: { rating: 'up' } })).body.error).toBe('missing_token');
    const preflight = await test.call({
      method: 'OPTIONS',
      path,
      headers: { origin: 'https://shop.example', 'access-control-request-method': 'PUT' },
    });
    expect(preflight.headers['access-control-allow-methods']).toContain('PUT');
  });

  it('includes ratings in exports and imports, and does not change GET /chat', async () => {
    const { owner, token, incoming, outgoing, rate, ratings } = await aVisitor();
    await rate({ rating: 'down' });
    const { body } = await test.call({ path: `/chat?user_id=${owner.user_id}`, token });
    expect(body.payload).toEqual([incoming, outgoing]);
    const archive = test.app.get(MessageArchive);
    const erasure = test.app.get(ErasureService, { strict: false });
    const exported = [];
    for await (const message of archive.export(owner)) exported.push(message);
    expect(exported).toEqual([
      { project_id, ...outgoing },
      { project_id, ...incoming, rating: 'down' },
    ]);
    // A rating may have changed since: the message is the same.
    await rate({ rating: 'up' });
    expect(await archive.add(exported as never)).toEqual(['stored', 'stored']);
    await erasure.eraseUser(owner);
    expect(await archive.add(exported as never)).toEqual(['new', 'new']);
    expect((await ratings(incoming._id)).body.ratings).toEqual([{ message_id: incoming._id, rating: 'down' }]);
  });

  it('leaves nothing of a user who is erased meanwhile', async () => {
    const { owner, rate } = await aVisitor();
    const removal = test.app.get(MessageRemoval);
    const existing = removal.existing.bind(removal);
    jest.spyOn(removal, 'existing').mockImplementationOnce(async (whose, ids) => {
      const outbox = test.app.get<Connection>(getConnectionToken()).db!.collection('outbox');
      const entries = await outbox.find({ ...owner }).toArray();
      await test.app.get(AdminService).eraseUser(owner);
      // As if it had been inserted after the erasure had removed those of the user.
      await outbox.insertMany(entries);
      return existing(whose, ids);
    });
    expect(await rate({ rating: 'up' })).toMatchObject({ status: 404, body: { error: 'message_not_found' } });
    expect(await entriesOf(owner)).toBe(0);
  });

  it('is retried by the client if its event could not be stored', async () => {
    const { owner, rate } = await aVisitor();
    jest
      .spyOn(test.app.get(OutboxRepository, { strict: false }), 'add')
      .mockRejectedValueOnce(new DatabaseUnavailableError());
    expect((await rate({ rating: 'up' })).status).toBe(503);
    expect((await rate({ rating: 'up' })).status).toBe(200);
    await receiver.until(() => told(owner).length === 1);
  });
});
