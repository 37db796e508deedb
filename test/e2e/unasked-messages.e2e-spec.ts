import { AdminService, CatalogueService, ChatService, Owner } from '../../src/index.js';
import { MessageRecorder } from '../../src/messages/index.js';
import { aProject, aTurn, aUser, createTestApp, onEachServer, storedMessages, type TestApp } from '../support/index.js';

const ADMIN_KEY = 'k'.repeat(40);

onEachServer((server) => {
  let test: TestApp;
  const project_id = aProject();
  beforeAll(async () => {
    test = await createTestApp({ server, config: { adminKey: ADMIN_KEY } });
    const project = { project_id, avatars: ['ada'], languages: ['en', 'de'], settings: { chat_types: ['text'] } };
    await test.app.get(CatalogueService).apply(JSON.stringify({ projects: [project] }));
  });
  afterAll(() => test.close());

  const anOwner = () => new Owner(project_id, aUser());
  const bodyFor = (owner: Owner, more: object = {}) => ({
    ...owner,
    avatar_id: 'ada',
    answer: 'Your table is ready.',
    ...more,
  });
  const post = (body: unknown, headers: Record<string, string> = {}, token = ADMIN_KEY) =>
    test.call({ method: 'POST', path: '/admin/messages', token, headers, body });
  const historyOf = async ({ user_id }: Owner) => {
    const token = await test.token(user_id, project_id);
    return (await test.call({ path: `/chat?user_id=${user_id}`, token })).body.payload;
  };

  it('stores a message of the avatar, or of who is named, and answers what GET /chat has', async () => {
    const owner = anOwner();
    const first = await post(bodyFor(owner));
    expect([first.status, first.body]).toEqual([
      201,
      {
        _id: expect.stringMatching(/^[0-9a-f]{24}$/),
        direction: 'incoming',
        user_id: owner.user_id,
        request: '',
        answer: 'Your table is ready.',
        avatar_id: 'ada',
        avatar_name: 'Ada',
        date: expect.any(Number),
        chat_type: 'text',
        language_code: 'en',
      },
    ]);
    await test.app.get(ChatService).record(aTurn({ owner, request: 'Danke', language_code: 'de' }));
    const second = await post(bodyFor(owner, { name: 'Sam', answer: 'Hallo' }));
    expect(second.body).toMatchObject({ request: 'Danke', answer: 'Hallo', avatar_name: 'Sam', language_code: 'de' });
    const [newest, , , oldest] = await historyOf(owner);
    expect([newest, oldest]).toEqual([second.body, first.body]);
    const said = await test.app.get(ChatService).say(owner, { avatar_id: 'ada', answer: 'Bye', language_code: 'en' });
    expect((await historyOf(owner))[0]).toEqual(said);
  });

  it('stores a key once, also under concurrency; another body is refused, and a user cannot take the key', async () => {
    const owner = anOwner();
    const token = await test.token(owner.user_id, project_id);
    const key = { 'idempotency-key': 'reminder-1' };
    const turn = { avatar_id: 'ada', request: 'hello' };
    await test.call({ method: 'POST', path: '/chat', token, headers: key, body: turn });
    const answers = await Promise.all(Array.from({ length: 4 }, () => post(bodyFor(owner), key)));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body._id}`))).toEqual(
      new Set([`201 ${answers[0]!.body._id}`]),
    );
    expect((await post(bodyFor(owner, { answer: 'Another' }), key)).body.error).toBe('idempotency_key_reused');
    expect((await post(bodyFor(anOwner()), key)).body._id).not.toBe(answers[0]!.body._id);
    expect(await storedMessages(test, owner)).toHaveLength(3);
  });

  it('gives the first result of a key even if its avatar has left the project', async () => {
    const owner = new Owner(aProject(), aUser());
    const change = (avatars: string[], languages: string[]) =>
      test.app
        .get(CatalogueService)
        .apply(JSON.stringify({ projects: [{ project_id: owner.project_id, avatars, languages }] }));
    await change(['ada'], ['de']);
    const key = { 'idempotency-key': 'reminder-1' };
    const first = await post(bodyFor(owner, { language_code: 'de' }), key);
    await change(['bruno'], ['en']);
    expect(await post(bodyFor(owner, { language_code: 'de' }), key)).toMatchObject({ status: 201, body: first.body });
    expect((await post(bodyFor(owner), key)).body.error).toBe('avatar_not_found');
  });

  it.each<[string, object, number, string]>([
    ['no project', { project_id: 'nowhere' }, 404, 'project_not_found'],
    ['a malformed project', { project_id: 'a b' }, 400, 'invalid_project_id'],
    ['a malformed user', { user_id: 'a b' }, 400, 'invalid_user_id'],
    ['an avatar of another project', { avatar_id: 'bruno' }, 404, 'avatar_not_found'],
    ['no avatar', { avatar_id: undefined }, 400, 'invalid_avatar_id'],
    ['no text', { answer: '' }, 400, 'invalid_answer'],
    ['a list for a text', { answer: ['x'] }, 400, 'invalid_answer'],
    ['too long a text', { answer: 'x'.repeat(8001) }, 400, 'invalid_answer'],
    ['an empty name', { name: '' }, 400, 'invalid_name'],
    ['a blank name', { name: ' \t\u00a0\n' }, 400, 'invalid_name'],
    ['too long a name', { name: 'x'.repeat(201) }, 400, 'invalid_name'],
    ['a language that the project has not', { language_code: 'fr' }, 400, 'invalid_language_code'],
    ['a type that is not enabled', { chat_type: 'voice' }, 400, 'invalid_chat_type'],
  ])('refuses %s, and stores nothing', async (_, more, status, error) => {
    const owner = anOwner();
    const answer = await post(bodyFor(owner, more));
    expect([answer.status, answer.body.error]).toEqual([status, error]);
    expect(await storedMessages(test, owner)).toEqual([]);
  });

  it('is refused without the key of an operator, with a bad Idempotency-Key, and to modules with bad input', async () => {
    const owner = anOwner();
    expect((await post(bodyFor(owner), {}, await test.token(owner.user_id, project_id))).status).toBe(401);
    expect((await post(bodyFor(owner), { 'idempotency-key': 'a b' })).body.error).toBe('invalid_idempotency_key');
    const say = (more: object) => test.app.get(ChatService).say(owner, { avatar_id: 'ada', answer: 'x', ...more });
    await expect(say({ answer: '' })).rejects.toMatchObject({ code: 'invalid_answer' });
    await expect(say({ avatar_id: 'nobody' })).rejects.toMatchObject({ code: 'avatar_not_found' });
    for (const name of ['x'.repeat(201), ' '.repeat(200)])
      await expect(say({ name })).rejects.toMatchObject({ code: 'invalid_name' });
    expect(await storedMessages(test, owner)).toEqual([]);
  });

  it('is counted in characters, as a turn is', async () => {
    const more = { answer: '😀'.repeat(8000), name: '😀'.repeat(200) };
    expect(await post(bodyFor(anOwner(), more))).toMatchObject({ status: 201, body: { answer: more.answer } });
  });

  it('is erased with its user', async () => {
    const owner = anOwner();
    await post(bodyFor(owner));
    const path = `/admin/messages?project_id=${project_id}&user_id=${owner.user_id}`;
    expect((await test.call({ method: 'DELETE', path, token: ADMIN_KEY })).body).toMatchObject({ messages: 1 });
    expect(await storedMessages(test, owner)).toEqual([]);
  });

  it('does not bring back the words of a user who is erased meanwhile', async () => {
    const owner = anOwner();
    const token = await test.token(owner.user_id, project_id);
    await test.call({ method: 'POST', path: '/chat', token, body: { avatar_id: 'ada', request: 'My order is 4711' } });
    const recorder = test.app.get(MessageRecorder);
    const append = recorder.append.bind(recorder);
    jest.spyOn(recorder, 'append').mockImplementationOnce(async (...given) => {
      await test.app.get(AdminService).eraseUser(owner);
      return append(...given);
    });
    expect((await post(bodyFor(owner))).body).toMatchObject({ error: 'user_erased' });
    expect(await storedMessages(test, owner)).toEqual([]);
  });
});
