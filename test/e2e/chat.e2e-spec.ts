import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { CatalogueService, ChatService, Database, type Owner } from '../../src/index.js';
import { anOwner, aProject, aTurn, aUser, createTestApp, onEachServer, type TestApp } from '../support/index.js';

onEachServer((server) => {
  let test: TestApp;
  let chat: ChatService;
  beforeAll(async () => {
    test = await createTestApp({ server });
    chat = test.app.get(ChatService);
  });
  afterAll(() => test.close());

  const history = async (owner: Owner, query = '') =>
    test.call({
      path: `/chat?user_id=${owner.user_id}${query}`,
      token: await test.token(owner.user_id, owner.project_id),
    });
  const say = async (owner: Owner, count: number) => {
    for (let n = 1; n <= count; n++)
      await chat.record(aTurn({ owner, request: `request ${n}`, answer: `answer ${n}` }));
  };

  describe('GET /chat', () => {
    it('returns full pages even if they are too large for one reply of the database', async () => {
      const owner = anOwner();
      await say(owner, 3);
      const ranges = ['', '&per_page=2', '&per_page=2&page=2', '&per_page=2&page=3', '&per_page=5', '&per_page=6'];
      const usual = await Promise.all(ranges.map((range) => history(owner, range)));
      expect(usual.map(({ body }) => [body.payload.length, body.has_more_messages])).toEqual([
        [6, false],
        [2, true],
        [2, true],
        [2, false],
        [5, true],
        [6, false],
      ]);
      // Like a page of more than 16 MiB, which takes longer than a request may on a slow machine.
      const database = test.app.get(Database);
      const whole = database.findBytes.bind(database);
      const parts = jest.spyOn(database, 'findBytes').mockImplementation(async (command) => {
        const { batch } = await whole({ ...command, limit: Math.min(2, command.limit) });
        return { batch, isWhole: command.limit <= 2 };
      });
      const again = await Promise.all(ranges.map((range) => history(owner, range)));
      expect(again.map(({ text }) => text)).toEqual(usual.map(({ text }) => text));
      expect(parts.mock.calls.length).toBeGreaterThan(ranges.length);
      parts.mockRestore();
    });

    it('returns an empty page for a user without messages', async () => {
      const { status, body } = await history(anOwner());
      expect({ status, body }).toEqual({ status: 200, body: { payload: [], has_more_messages: false } });
    });

    it('returns exactly the fields of the API, the answer first', async () => {
      const owner = anOwner();
      const turn = aTurn({
        owner,
        chat_type: 'voice',
        language_code: 'fr',
        request: 'Ça va ? 😀\n"\\\u2028',
        answer: 'Très bien !',
      });
      await chat.record(turn);
      const said = {
        user_id: owner.user_id,
        request: turn.request,
        avatar_id: 'ada',
        chat_type: 'voice',
        language_code: 'fr',
      };
      const { body } = await history(owner);
      const [incoming, outgoing] = body.payload;
      const id = expect.stringMatching(/^[0-9a-f]{24}$/);
      expect(body.has_more_messages).toBe(false);
      expect(body.payload).toHaveLength(2);
      expect(outgoing).toEqual({ _id: id, direction: 'outgoing', ...said, date: test.clock.now() });
      expect(incoming).toEqual({
        _id: id,
        direction: 'incoming',
        ...said,
        answer: 'Très bien !',
        avatar_name: 'Ada',
        date: test.clock.now() + 1,
      });
      expect(Object.keys(incoming)).toEqual([
        '_id',
        'direction',
        'user_id',
        'request',
        'answer',
        'avatar_id',
        'avatar_name',
        'date',
        'chat_type',
        'language_code',
      ]);
    });

    it("appends messages to the user's history, at least a millisecond apart even if the clock stands still", async () => {
      const owner = anOwner();
      await say(owner, 5);
      const { payload } = (await history(owner)).body;
      const dates: number[] = payload.map(({ date }: { date: number }) => date).reverse();
      expect(dates).toEqual(dates.map((_, index) => dates[0]! + index));
      expect(
        payload.map((message: { answer?: string; request: string }) => message.answer ?? message.request).reverse(),
      ).toEqual([1, 2, 3, 4, 5].flatMap((n) => [`request ${n}`, `answer ${n}`]));
    });

    it('keeps concurrent turns of one user complete and in order', async () => {
      const owner = anOwner();
      // On a busy machine, one that has waited for 5 s is refused, and not stored.
      const record = (turn: ReturnType<typeof aTurn>): Promise<unknown> =>
        chat.record(turn).catch((error: { code?: string }) => {
          if (error.code !== 'service_unavailable') throw error;
          return record(turn);
        });
      await Promise.all(
        Array.from({ length: 20 }, (_, n) => record(aTurn({ owner, request: `r${n}`, answer: `a${n}` }))),
      );
      const { payload } = (await history(owner)).body;
      expect(new Set(payload.map(({ date }: { date: number }) => date)).size).toBe(40);
      payload.reverse();
      for (let index = 0; index < 40; index += 2) {
        expect(payload[index]).toMatchObject({ direction: 'outgoing' });
        expect(payload[index + 1]).toMatchObject({ direction: 'incoming', request: payload[index].request });
      }
    });

    it.each([1, 3, 7, 20, 21])('returns every message once, newest first, in pages of %i', async (per_page) => {
      const owner = anOwner();
      await say(owner, 10);
      const whole = (await history(owner)).body.payload;
      const joined = [];
      for (let page = 1; ; page++) {
        const { body } = await history(owner, `&per_page=${per_page}&page=${page}`);
        joined.push(...body.payload);
        expect(body.has_more_messages).toBe(joined.length < 20);
        if (!body.has_more_messages) break;
        expect(body.payload).toHaveLength(per_page);
      }
      expect(joined).toEqual(whole);
      expect(whole).toHaveLength(20);
    });

    it.each([1, 3, 7, 20, 21])('scrolls back by before, %i at a time, while messages arrive', async (per_page) => {
      const owner = anOwner();
      await say(owner, 5);
      const whole = (await history(owner)).body.payload;
      let { body } = await history(owner, `&per_page=${per_page}`);
      const joined = [...body.payload];
      while (body.has_more_messages) {
        await say(owner, 1);
        body = (await history(owner, `&per_page=${per_page}&before=${joined.at(-1)._id}`)).body;
        joined.push(...body.payload);
      }
      expect(joined).toEqual(whole);
    });

    it('orders messages of the same millisecond by identifier, for pages and before alike', async () => {
      const owner = anOwner();
      const date = 1_700_000_000_000;
      const ids = ['a-1', 'a-2', 'B_3', 'zz', '0'];
      const { project_id, user_id } = owner;
      await test.app
        .get<Connection>(getConnectionToken())
        .collection('messages')
        .insertMany(
          ids.map((id) => ({
            _id: `${user_id}${id}` as never,
            project_id,
            user_id,
            direction: 'outgoing',
            request: id,
            avatar_id: 'x',
            date,
            chat_type: 'text',
            language_code: 'en',
          })),
        );
      const sorted = ids.map((id) => user_id + id).sort((a, b) => (a < b ? 1 : -1));
      const pages = await Promise.all([1, 2, 3, 4, 5].map((page) => history(owner, `&per_page=1&page=${page}`)));
      expect(pages.map(({ body }) => body.payload[0]._id)).toEqual(sorted);
      for (const [index, id] of sorted.entries()) {
        const { body } = await history(owner, `&before=${id}`);
        expect(body.payload.map(({ _id }: { _id: string }) => _id)).toEqual(sorted.slice(index + 1));
      }
    });

    it('returns 100 messages if per_page is omitted', async () => {
      const owner = anOwner();
      await say(owner, 51);
      const { body } = await history(owner);
      expect(body.payload).toHaveLength(100);
      expect(body.has_more_messages).toBe(true);
    });

    it('reports that a full last page is the last, and returns an empty page beyond it', async () => {
      const owner = anOwner();
      await say(owner, 2);
      expect((await history(owner, '&per_page=2&page=2')).body.has_more_messages).toBe(false);
      expect((await history(owner, '&per_page=2&page=3')).body).toEqual({ payload: [], has_more_messages: false });
      expect((await history(owner, '&per_page=1000&page=2147483647')).body).toEqual({
        payload: [],
        has_more_messages: false,
      });
    });

    it.each([
      [
        'per_page',
        ['0', '-1', '1.5', '1e2', '0x10', '01', '+1', ' 1', '1001', '', 'abc', '٣', '9'.repeat(400)],
        'invalid_per_page',
      ],
      [
        'page',
        ['0', '-1', '1.5', '1e2', '01', '+1', '2147483648', '', 'NaN', 'Infinity', '99999999999999999999'],
        'invalid_page',
      ],
      ['before', ['', 'a b', 'a.b', '$ne', 'x'.repeat(129), 'unknown-message'], 'invalid_before'],
    ])('refuses an invalid %s', async (parameter, values, error) => {
      const owner = anOwner();
      for (const value of values) {
        expect(await history(owner, `&${parameter}=${encodeURIComponent(value)}`)).toMatchObject({
          status: 400,
          body: { error },
        });
      }
      expect(await history(owner, `&${parameter}=1&${parameter}=1`)).toMatchObject({ status: 400, body: { error } });
      expect(await history(owner, `&${parameter}[$gt]=1`)).toMatchObject({ status: 200 });
    });

    it('refuses page and before together', async () => {
      const owner = anOwner();
      await say(owner, 1);
      const [{ _id }] = (await history(owner)).body.payload;
      expect(await history(owner, `&page=1&before=${_id}`)).toMatchObject({
        status: 400,
        body: { error: 'invalid_page' },
      });
    });

    it.each([
      ['missing', ''],
      ['empty', '?user_id='],
      ['repeated', '?user_id=ann&user_id=ann'],
      ['malformed', '?user_id=a%20b'],
      ['too long', `?user_id=${'x'.repeat(129)}`],
      ['an operator', '?user_id[$ne]=x'],
    ])('refuses a user_id that is %s', async (_, query) => {
      const token = await test.token('ann');
      expect(await test.call({ path: `/chat${query}`, token })).toMatchObject({
        status: 400,
        body: { error: 'invalid_user_id' },
      });
    });

    it('validates the token before the parameters, and these before the ownership', async () => {
      const token = await test.token('ann');
      expect((await test.call({ path: '/chat?page=0' })).body.error).toBe('missing_token');
      expect((await test.call({ path: '/chat?user_id=bob&page=0', token })).body.error).toBe('invalid_page');
      expect((await test.call({ path: '/chat?user_id=bob&before=unknown', token })).body.error).toBe('user_not_found');
    });

    it('responds for another user exactly as for one that does not exist', async () => {
      const owner = anOwner();
      await say(owner, 1);
      const token = await test.token(aUser());
      const answers = await Promise.all(
        [owner.user_id, aUser()].map((user_id) => test.call({ path: `/chat?user_id=${user_id}`, token })),
      );
      for (const { status, body } of answers)
        expect({ status, error: body.error }).toEqual({ status: 404, error: 'user_not_found' });
      const [one, other] = answers.map(({ text, body }) => text.replace(body.request_id, ''));
      expect(one).toBe(other);
    });

    it('separates users of the same name in two projects', async () => {
      const project_id = aProject();
      await test.app.get(CatalogueService).addProject(project_id);
      const here = anOwner();
      const there = anOwner({ project_id, user_id: here.user_id });
      await say(here, 1);
      await say(there, 2);
      const [mine, theirs] = [(await history(here)).body.payload, (await history(there)).body.payload];
      expect([mine.length, theirs.length]).toEqual([2, 4]);
      expect(await history(here, `&before=${theirs[0]._id}`)).toMatchObject({
        status: 400,
        body: { error: 'invalid_before' },
      });
    });

    it('responds to HEAD like GET, without a body', async () => {
      const owner = anOwner();
      const token = await test.token(owner.user_id);
      const path = `/chat?user_id=${owner.user_id}`;
      const [get, head] = [await test.call({ path, token }), await test.call({ method: 'HEAD', path, token })];
      expect(head).toMatchObject({ status: 200, text: '' });
      expect(head.headers['content-length']).toBe(get.headers['content-length']);
    });
  });

  it('reads a page by an index scan, and nothing beyond it', async () => {
    const { project_id, user_id } = anOwner();
    const messages = test.app.get<Connection>(getConnectionToken()).collection('messages');
    const indexes = await messages.indexes();
    expect(indexes.map(({ key }) => key)).toContainEqual({ project_id: 1, user_id: 1, date: -1, _id: -1 });
    expect(await messages.find({ project_id, user_id }).sort({ date: -1, _id: -1 }).limit(1).toArray()).toEqual([]);
  });
});
