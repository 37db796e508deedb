import { CatalogueService, ChatService } from '../../src/index.js';
import {
  anOwner,
  anyServer,
  aProject,
  aTurn,
  aUser,
  createTestApp,
  oneAppPerServer,
  onEachServer,
  type TestApp,
} from '../support/index.js';

const KEY = 'k'.repeat(40);
const DAY = 86_400_000;

const appOn = oneAppPerServer({ config: { adminKey: KEY } });

onEachServer((server) => {
  let test: TestApp;
  beforeAll(async () => (test = await appOn(server)));

  const ask = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown) =>
    test.call({ method, path: `/admin${path}`, token: KEY, body });
  const askRaw = (method: 'POST' | 'PUT', path: string, body: string) =>
    test.call({ method, path: `/admin${path}`, token: KEY, headers: { 'content-type': 'application/json' }, body });
  const usersPath = (project_id: string, user_id: string) => `/messages?project_id=${project_id}&user_id=${user_id}`;

  describe('operators over HTTP', () => {
    it('add, list, show and remove projects', async () => {
      const project_id = aProject();
      const added = await ask('POST', '/projects', { project_id });
      expect(added).toMatchObject({
        status: 201,
        headers: { 'cache-control': 'no-store' },
        body: { project_id, key: expect.stringMatching(/^[\w-]{43}$/) },
      });
      expect(await ask('POST', '/projects', { project_id })).toMatchObject({
        status: 409,
        body: { error: 'project_exists' },
      });
      expect((await ask('GET', '/projects')).body.projects).toEqual(expect.arrayContaining(['default', project_id]));
      expect((await ask('GET', `/projects/${project_id}`)).body).toEqual(added.body);
      expect((await test.token(aUser(), project_id)).length).toBeGreaterThan(100);
      expect(await ask('DELETE', `/projects/${project_id}`)).toMatchObject({ status: 204, text: '' });
      for (const method of ['GET', 'DELETE'] as const) {
        expect(await ask(method, `/projects/${project_id}`)).toMatchObject({
          status: 404,
          body: { error: 'project_not_found' },
        });
      }
      expect(await ask('DELETE', '/projects/default')).toMatchObject({
        status: 409,
        body: { error: 'default_project' },
      });
    });

    it('do not add a project whose former messages remain', async () => {
      const { project_id } = (await ask('POST', '/projects', { project_id: aProject() })).body;
      await test.app.get(ChatService).record(aTurn({ owner: anOwner({ project_id }) }));
      await ask('DELETE', `/projects/${project_id}`);
      const refused = await ask('POST', '/projects', { project_id });
      expect(refused).toMatchObject({ status: 409, body: { error: 'project_has_messages' } });
      expect(refused.text).not.toContain(project_id);
    });

    it('export a catalogue, check one and apply one, all of it or nothing', async () => {
      const exported = await ask('GET', '/catalogue');
      expect(exported.text).toBe(await test.app.get(CatalogueService).export());
      expect(exported.text).not.toContain('"key"');
      expect(await ask('PUT', '/catalogue', exported.body)).toMatchObject({
        status: 200,
        body: { avatars: exported.body.avatars.length, projects: exported.body.projects.length },
      });
      const project_id = aProject();
      const webhooks = [{ name: 'crm', url: 'http://127.0.0.1:9/' }];
      const good = { project_id, avatars: ['ada'], languages: ['en'], webhooks };
      const bad = { projects: [good, { project_id: 'p', avatars: ['zoe'], languages: ['xx'] }] };
      expect((await ask('POST', '/catalogue/check', bad)).body.faults).toEqual([
        { place: 'projects[1].avatars[0]', problem: 'there is no avatar "zoe"' },
        { place: 'projects[1].languages[0]', problem: 'there is no language "xx"' },
      ]);
      expect(await ask('PUT', '/catalogue', bad)).toMatchObject({ status: 422, body: { error: 'invalid_catalogue' } });
      expect((await ask('GET', `/projects/${project_id}`)).status).toBe(404);
      expect((await ask('POST', '/catalogue/check', { projects: [good] })).body).toEqual({ faults: [] });
      expect((await ask('GET', `/projects/${project_id}`)).status).toBe(404);
      expect((await ask('PUT', '/catalogue', { projects: [good] })).status).toBe(200);
      const [shown] = (await ask('GET', `/projects/${project_id}`)).body.webhooks;
      expect(shown).toEqual({ ...webhooks[0], secret: expect.stringMatching(/^whsec_/) });
      expect((await ask('GET', '/catalogue')).text).not.toContain('whsec_');
      await ask('DELETE', `/projects/${project_id}`);
    });

    it('apply a catalogue only if it is that of the ETag, and show its rules', async () => {
      const { headers, body } = await ask('GET', '/catalogue');
      const put = (tag: unknown) =>
        test.call({
          method: 'PUT',
          path: '/admin/catalogue',
          token: KEY,
          headers: { 'if-match': String(tag) },
          body: { languages: body.languages },
        });
      expect(await put(headers.etag)).toMatchObject({ status: 200 });
      const changed = { status: 412, body: { error: 'catalogue_changed' } };
      expect(await put(headers.etag)).toMatchObject(changed);
      expect(await put('nonsense')).toMatchObject(changed);
      expect(await put('*')).toMatchObject({ status: 200 });
      const { etag } = (await ask('GET', '/catalogue')).headers;
      expect(await put(`W/${String(etag)}`)).toMatchObject({ status: 200 });
      const { required, items } = (await ask('GET', '/catalogue/schema')).body.properties.avatars.items.properties
        .previewIcons;
      expect([required, items]).toEqual([['small', 'medium', 'large'], undefined]);
    });

    it('try deliveries again, and rotate secrets of webhooks', async () => {
      const { project_id } = (await ask('POST', '/projects', { project_id: aProject() })).body;
      const webhooks = [
        { name: 'crm', url: 'http://127.0.0.1:9/', events: ['user.erased'] },
        { name: 'own', url: 'http://127.0.0.1:9/', events: ['user.erased'], secret_env: 'TEST_ADMIN_SECRETS' },
      ];
      await ask('PUT', '/catalogue', { projects: [{ project_id, avatars: ['ada'], languages: ['en'], webhooks }] });
      const retry = (body: object) => ask('POST', '/deliveries/retry', body);
      expect(await retry({ project_id })).toMatchObject({ status: 200, body: { retried: 0 } });
      await ask('DELETE', usersPath(project_id, aUser()));
      const { deliveries } = (await ask('GET', `/deliveries?project_id=${project_id}`)).body;
      const { id } = deliveries.find(({ webhook }: { webhook: string }) => webhook === 'crm');
      expect(await retry({ project_id, id })).toMatchObject({ status: 200, body: { retried: 1 } });
      const none = { status: 404, body: { error: 'delivery_not_found' } };
      for (const wrong of [7, { $ne: '' }, null, '', 'x'.repeat(201), 'a b'])
        expect(await retry({ project_id, id: wrong })).toMatchObject({
          status: 400,
          body: { error: 'invalid_request' },
        });
      expect(await retry({ project_id, id: 'evt_0.crm' })).toMatchObject(none);
      expect(await retry({ project_id: 'default', id })).toMatchObject(none);
      expect(await retry({ project_id: aProject() })).toMatchObject({
        status: 404,
        body: { error: 'project_not_found' },
      });
      const secretOf = async () => (await ask('GET', `/projects/${project_id}`)).body.webhooks[0].secret;
      const before = await secretOf();
      const rotate = (name: string) => ask('POST', `/projects/${project_id}/webhooks/${name}/secret`);
      const { body } = await rotate('crm');
      expect([body.secret, body.secret === before]).toEqual([await secretOf(), false]);
      expect(await rotate('own')).toMatchObject({ status: 409, body: { error: 'secret_in_variable' } });
      for (const name of ['nobody', '__proto__', '%00'])
        expect(await rotate(name)).toMatchObject({ status: 404, body: { error: 'webhook_not_found' } });
    });

    it('try avatars out whose entries are not applied, and store nothing', async () => {
      const { avatars } = (await ask('GET', '/catalogue')).body;
      const avatar = { ...avatars[0], _id: 'new', name: 'Nova', voice: { rate: 1.2 } };
      const trial = { project_id: 'default', avatar, language_code: 'en', request: 'What is your name?' };
      const before = (await ask('GET', '/users?project_id=default')).body;
      const answered = await ask('POST', '/avatars/try', trial);
      expect(answered).toMatchObject({ status: 200, body: { answer: expect.stringContaining('Nova') } });
      const history = [{ request: 'Tell me a joke', answer: 'Knock, knock.' }];
      expect(await ask('POST', '/avatars/try', { ...trial, history })).toMatchObject({ status: 200 });
      const spoken = await ask('POST', '/avatars/speak', { ...trial, request: 'Hello.' });
      expect([spoken.status, spoken.headers['content-type']]).toEqual([200, 'audio/mpeg']);
      for (const [wrong, status, error] of [
        [{ avatar: { ...avatar, greetingText: '' } }, 422, 'invalid_catalogue'],
        [{ avatar: 'ada' }, 400, 'invalid_request'],
        [{ avatar: undefined }, 400, 'invalid_request'],
        [{ history: [{ request: 'Hi' }] }, 400, 'invalid_request'],
        [{ history: Array.from({ length: 11 }, () => history[0]) }, 400, 'invalid_request'],
        [{ request: 'x'.repeat(8001) }, 400, 'invalid_request'],
        [{ request: undefined }, 400, 'invalid_request'],
        [{ language_code: 'xx' }, 400, 'invalid_language_code'],
        [{ project_id: aProject() }, 404, 'project_not_found'],
      ] as const)
        for (const path of ['/avatars/try', '/avatars/speak'])
          expect(await ask('POST', path, { ...trial, ...wrong })).toMatchObject({ status, body: { error } });
      expect((await ask('GET', '/users?project_id=default')).body).toEqual(before);
      expect((await ask('GET', '/catalogue')).body.avatars).toEqual(avatars);
    });

    it('accept catalogues that are larger than other bodies, up to a limit', async () => {
      const avatar = JSON.parse(await test.app.get(CatalogueService).export()).avatars[0];
      const avatars = (count: number) => ({
        avatars: Array.from({ length: count }, (_, n) => ({
          ...avatar,
          _id: `a-${n}`,
          greetingText: 'x'.repeat(2000),
        })),
      });
      expect((await ask('POST', '/catalogue/check', avatars(200))).body).toEqual({ faults: [] });
      expect(await ask('POST', '/catalogue/check', avatars(500))).toMatchObject({ status: 413 });
      expect(await ask('POST', '/projects', avatars(40))).toMatchObject({ status: 413 });
      for (const body of [undefined, [], 'x']) {
        expect([200, 400, 415]).toContain((await ask('POST', '/catalogue/check', body)).status);
        expect([422, 400, 415]).toContain((await ask('PUT', '/catalogue', body)).status);
      }
    });

    it('refuse entries that are nested too deeply for the stack', async () => {
      const deep = '{"a":'.repeat(9000) + '1' + '}'.repeat(9000);
      const refused = { status: 422, body: { error: 'invalid_catalogue' } };
      const faults = [{ place: 'file', problem: 'has a name with a NUL character, or is nested too deeply' }];
      for (const engine of [deep, '{"a\\u0000":1}']) {
        const file = `{"avatars":[{"_id":"ada","engine":${engine}}]}`;
        expect((await askRaw('POST', '/catalogue/check', file)).body).toEqual({ faults });
        expect(await askRaw('PUT', '/catalogue', file)).toMatchObject(refused);
      }
      const trial = `{"project_id":"default","request":"Hi","avatar":${deep}}`;
      for (const path of ['/avatars/try', '/avatars/speak'])
        expect(await askRaw('POST', path, trial)).toMatchObject(refused);
    });

    it("export a user's messages unchanged, oldest first, and erase them", async () => {
      const owner = anOwner();
      const path = usersPath(owner.project_id, owner.user_id);
      const chat = test.app.get(ChatService);
      for (let n = 0; n < 3; n++) await chat.record(aTurn({ owner, request: `${n}` }));
      await test.call({ path: '/connection', token: await test.token(owner.user_id) });
      const exported = await ask('GET', path);
      expect(exported.headers['content-type']).toBe('application/x-ndjson; charset=utf-8');
      const lines = exported.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      const { payload } = await chat.page(owner, { limit: 10 });
      expect(lines).toEqual(payload.toReversed().map((message) => ({ project_id: owner.project_id, ...message })));
      expect(await ask('DELETE', path)).toMatchObject({ status: 200, body: { messages: 6, sessions: 1 } });
      expect(await ask('GET', path)).toMatchObject({ status: 200, text: '' });
      const longest = usersPath(owner.project_id, 'u'.repeat(128));
      expect(await ask('DELETE', longest)).toMatchObject({ status: 200, body: { messages: 0, sessions: 0 } });
      for (const method of ['GET', 'DELETE'] as const) {
        expect(await ask(method, usersPath(aProject(), owner.user_id))).toMatchObject({
          status: 404,
          body: { error: 'project_not_found' },
        });
      }
    });

    it("count a project's messages, users and turns", async () => {
      const { project_id } = (await ask('POST', '/projects', { project_id: aProject() })).body;
      const [ann, bob] = [anOwner({ project_id }), anOwner({ project_id })];
      const chat = test.app.get(ChatService);
      await chat.record(aTurn({ owner: bob }));
      test.clock.advance(20 * DAY);
      for (const owner of [ann, ann, bob]) await chat.record(aTurn({ owner }));
      await test.call({ path: '/connection', token: await test.token(ann.user_id, project_id) });
      const count = async (query: string) => (await ask('GET', `/projects/${project_id}/statistics${query}`)).body;
      const since = test.clock.now();
      expect(await count('')).toEqual({ since: since - 30 * DAY, messages: 8, users: 2, turns: 4, sessions: 1 });
      expect(await count('?days=1')).toEqual({ since: since - DAY, messages: 6, users: 2, turns: 3, sessions: 1 });
      test.clock.advance(2 * DAY);
      expect(await count('?days=1')).toMatchObject({ messages: 0, users: 0, turns: 0, sessions: 0 });
      expect(await ask('GET', `/projects/${aProject()}/statistics`)).toMatchObject({ status: 404 });
    });
  });
});

describe("the operators' routes", () => {
  let test: TestApp;
  beforeAll(async () => (test = await appOn(anyServer())));
  /** Of a test that needs other settings. */
  let own: TestApp | undefined;
  afterEach(async () => {
    await own?.close();
    own = undefined;
  });
  const paths = ['/admin', '/admin/projects', '/admin/catalogue', '/admin/messages?project_id=a&user_id=b'];

  it('do not exist without a key, for any request', async () => {
    own = await createTestApp({ server: anyServer() });
    const unknown = await own.call({ path: '/nothing-here' });
    for (const path of paths) {
      for (const method of ['GET', 'POST', 'DELETE'] as const) {
        const { status, headers, body } = await own.call({ method, path, token: KEY });
        expect({ status, body: { ...body, request_id: '' } }).toEqual({
          status: 404,
          body: { ...unknown.body, request_id: '' },
        });
        expect(Object.keys(headers)).toEqual(Object.keys(unknown.headers));
      }
    }
    expect((await own.call({ path: '/docs-json' })).text).not.toContain('/admin');
  });

  it.each<[string, Record<string, string>]>([
    ['nothing', {}],
    ['another key', { authorization: `Bearer ${'x'.repeat(40)}` }],
    ['a prefix of the key', { authorization: `Bearer ${KEY.slice(0, -1)}` }],
    ['the key and more', { authorization: `Bearer ${KEY}k` }],
    ['another scheme', { authorization: `Basic ${KEY}` }],
    ['the key in another place', { 'x-admin-key': KEY }],
  ])('reject %s with a 401', async (_, headers) => {
    const answer = await test.call({ path: '/admin/projects', headers });
    expect(answer).toMatchObject({
      status: 401,
      body: { error: 'invalid_admin_key' },
      headers: { 'www-authenticate': 'Bearer realm="avatar-chat-admin"', 'cache-control': 'no-store' },
    });
  });

  it("reject a user's token, valid or expired, and their key is valid for no other route", async () => {
    const token = await test.token(aUser());
    expect((await test.call({ path: '/admin/projects', token })).status).toBe(401);
    test.clock.advance(2 * DAY);
    expect((await test.call({ path: '/admin/projects', token })).status).toBe(401);
    expect(await test.call({ path: '/connection', token: KEY })).toMatchObject({
      status: 401,
      body: { error: 'invalid_token' },
    });
  });

  it('limit wrong keys by address, and still accept the right one', async () => {
    const rateLimits = { enabled: true };
    own = await createTestApp({ server: anyServer(), config: { adminKey: KEY, rateLimits } });
    const statuses = [];
    for (let n = 0; n < 12; n++) statuses.push((await own.call({ path: '/admin/projects', token: 'wrong' })).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429]);
    const refused = await own.call({ path: '/admin/projects' });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await own.call({ path: '/admin/projects', token: KEY })).status).toBe(200);
  });

  it.each([
    ['GET', '/admin/projects/a_b', 'invalid_project_id'],
    ['GET', '/admin/projects/default/statistics?days=0', 'invalid_days'],
    ['GET', '/admin/projects/default/statistics?days=1&days=2', 'invalid_days'],
    ['GET', '/admin/messages?project_id=default', 'invalid_user_id'],
    ['DELETE', '/admin/messages?project_id=default&user_id=a.b', 'invalid_user_id'],
    ['DELETE', '/admin/messages?project_id=default&user_id=a&before=1', 'bad_request'],
    ['DELETE', '/admin/memories?project_id=default&user_id=a&memory_id=b', 'bad_request'],
    ['DELETE', '/admin/projects/shop?user_id=a', 'bad_request'],
    ['DELETE', '/admin/messages?user_id=a&project_id[$ne]=b', 'invalid_project_id'],
    ['POST', '/admin/projects', 'invalid_project_id'],
  ] as const)('rejects malformed requests: %s %s', async (method, path, error) => {
    expect(await test.call({ method, path, token: KEY })).toMatchObject({ status: 400, body: { error } });
  });
});
