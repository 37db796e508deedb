import { createHmac } from 'node:crypto';
import { CatalogueService } from '../../src/index.js';
import { aProject, aUser, createTestApp, onEachServer, type TestApp } from '../support/index.js';

onEachServer((server) => {
  let test: TestApp;
  beforeAll(async () => (test = await createTestApp({ server })));
  afterAll(() => test.close());

  const post = (body: unknown, headers?: Record<string, string>) =>
    test.call({ method: 'POST', path: '/jwt', body, headers });

  describe('POST /jwt', () => {
    it.each([
      ['a user alone', { user_id: 'u' }],
      ['a UUID', { user_id: '7b0e7c1e-5f4b-4a53-9d0c-0f6f8a2f7c11' }],
      ['128 characters', { user_id: 'x'.repeat(128) }],
      ['every character of the alphabet', { user_id: 'azAZ09-_' }],
      ['the default project by name', { user_id: 'u', project_id: 'default' }],
      ['unknown fields', { user_id: 'u', role: 'admin', deep: { a: [1] } }],
      ['a __proto__ field', JSON.parse('{"user_id":"u","__proto__":{"user_id":"v"}}')],
    ])('issues a token for %s', async (_, body) => {
      const { status, body: answer } = await post(body);
      expect(status).toBe(200);
      expect(answer).toEqual({ result: 'success', jwt: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) });
    });

    it('puts the user, the project and an expiry of 24 hours into the token', async () => {
      const { body } = await post({ user_id: 'ann' });
      const [header, claims] = body.jwt
        .split('.')
        .slice(0, 2)
        .map((part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()));
      expect(header).toEqual({ alg: 'HS256', typ: 'JWT', kid: expect.stringMatching(/^[\w-]{16}$/) });
      expect(claims).toEqual({
        iss: 'avatar-chat',
        aud: 'avatar-chat',
        sub: 'ann',
        project: 'default',
        epoch: expect.stringMatching(/^[\w-]{12}$/),
        iat: Math.floor(test.clock.now() / 1000),
        exp: Math.floor(test.clock.now() / 1000) + 86_400,
        jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
      });
    });

    it('never issues the same token twice', async () => {
      const tokens = await Promise.all(Array.from({ length: 20 }, () => test.token('ann')));
      expect(new Set(tokens).size).toBe(20);
    });

    it.each([
      ['no body', undefined],
      ['an empty object', {}],
      ['an array', []],
      ['a list of an object', [{ user_id: 'u' }]],
      ['null', { user_id: null }],
      ['a number', { user_id: 7 }],
      ['an array of a string', { user_id: ['u'] }],
      ['an object', { user_id: { $gt: '' } }],
      ['an empty string', { user_id: '' }],
      ['129 characters', { user_id: 'x'.repeat(129) }],
      ['a space', { user_id: 'a b' }],
      ['a trailing newline', { user_id: 'ab\n' }],
      ['a dot', { user_id: 'a.b' }],
      ['a letter beyond ASCII', { user_id: 'é' }],
      ['a NUL', { user_id: 'a\0' }],
      ['a bad user and a bad project', { user_id: 'a b', project_id: 'a b' }],
      ['a bad user and an unknown project', { user_id: '', project_id: 'nowhere' }],
    ])('refuses as invalid_user_id: %s', async (_, body) => {
      expect(await post(body)).toMatchObject({ status: 400, body: { error: 'invalid_user_id' } });
    });

    it.each([
      ['a JSON string', '"user"'],
      ['a JSON number', '1'],
      ['JSON null', 'null'],
      ['an empty body said to be JSON', ''],
    ])('refuses as invalid_user_id: %s', async (_, body) => {
      expect(await post(body, { 'content-type': 'application/json' })).toMatchObject({
        status: 400,
        body: { error: 'invalid_user_id' },
      });
    });

    it.each([
      ['null', null],
      ['a number', 1],
      ['an array', ['default']],
      ['an empty string', ''],
      ['65 characters', 'x'.repeat(65)],
      ['an underscore', 'a_b'],
      ['a space', 'a b'],
      ['a letter beyond ASCII', 'prøject'],
    ])('refuses as invalid_project_id: %s', async (_, project_id) => {
      expect(await post({ user_id: 'u', project_id })).toMatchObject({
        status: 400,
        body: { error: 'invalid_project_id' },
      });
    });

    it('refuses a well-formed project that does not exist', async () => {
      expect(await post({ user_id: 'u', project_id: aProject() })).toMatchObject({
        status: 401,
        headers: { 'www-authenticate': 'Bearer realm="avatar-chat"' },
        body: { error: 'project_not_found' },
      });
    });

    it('knows a project as soon as it is added', async () => {
      const project_id = aProject();
      await test.app.get(CatalogueService).addProject(project_id);
      expect((await post({ user_id: 'u', project_id })).status).toBe(200);
    });

    it.each([
      ['cut short', '{"user_id":"u"', 400, 'invalid_json'],
      ['not JSON', 'user_id=u', 400, 'invalid_json'],
      ['JSON with an extra comma', '{"user_id":"u",}', 400, 'invalid_json'],
      ['64 KiB and more', JSON.stringify({ user_id: 'u', filler: 'x'.repeat(65_536) }), 413, 'payload_too_large'],
    ])('refuses a body that is %s', async (_, body, status, error) => {
      expect(await post(body, { 'content-type': 'application/json' })).toMatchObject({ status, body: { error } });
    });

    it('accepts a body of exactly 64 KiB', async () => {
      const frame = JSON.stringify({ user_id: 'u', filler: '' });
      const body = JSON.stringify({ user_id: 'u', filler: 'x'.repeat(65_536 - frame.length) });
      expect((await post(body, { 'content-type': 'application/json' })).status).toBe(200);
    });

    it('accepts JSON nested deeper than a recursion would survive', async () => {
      const depth = 10_000;
      const body = `{"user_id":"u","deep":${'['.repeat(depth)}${']'.repeat(depth)}}`;
      expect((await post(body, { 'content-type': 'application/json' })).status).toBe(200);
    });

    it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'application/jsonp', 'nonsense'])(
      'refuses the content type %s',
      async (type) => {
        expect(await post('{"user_id":"u"}', { 'content-type': type })).toMatchObject({
          status: 415,
          body: { error: 'unsupported_media_type' },
        });
      },
    );

    it.each(['application/json; charset=utf-8', 'Application/JSON', 'application/json;charset=UTF-8'])(
      'accepts the content type %s',
      async (type) => {
        expect((await post('{"user_id":"u"}', { 'content-type': type })).status).toBe(200);
      },
    );

    it.each([
      ['gzip', 415],
      ['br', 415],
      ['identity', 200],
      ['utf-8', 200],
      ['', 200],
    ])('answers a body with the content encoding %s with %i', async (encoding, status) => {
      const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
      expect((await post('{"user_id":"u"}', headers)).status).toBe(status);
    });

    it('answers requests without a body, and unknown paths, whatever their content encoding', async () => {
      const headers = { 'content-encoding': 'gzip' };
      expect((await test.call({ path: '/health/live', headers })).status).toBe(200);
      const body = '{}';
      expect((await test.call({ method: 'POST', path: '/nowhere', headers, body })).status).toBe(404);
    });

    it('neither needs a token nor rejects one', async () => {
      expect((await post({ user_id: 'u' }, { authorization: 'Bearer nonsense' })).status).toBe(200);
    });
  });

  describe('a project whose server verifies its users', () => {
    const project_id = aProject();
    const user_id = aUser();
    let key: string;
    beforeAll(async () => {
      const catalogue = test.app.get(CatalogueService);
      await catalogue.apply(
        JSON.stringify({ projects: [{ project_id, token_policy: 'verified', avatars: [], languages: [] }] }),
      );
      key = (await catalogue.findProject(project_id))!.key;
    });
    const hash = (of: string, under: string) => createHmac('sha256', under).update(of).digest('hex');

    it('issues a token for the right user_hash, in either case', async () => {
      const user_hash = hash(user_id, key);
      expect((await post({ user_id, project_id, user_hash })).status).toBe(200);
      expect((await post({ user_id, project_id, user_hash: user_hash.toUpperCase() })).status).toBe(200);
    });

    it.each([
      ['missing', () => undefined],
      ['null', () => null],
      ['another user’s', () => hash('someone', key)],
      ['signed with another key', () => hash(user_id, 'another')],
      ['cut short', () => hash(user_id, key).slice(0, 62)],
      ['not hex', () => 'g'.repeat(64)],
      ['an array', () => [hash(user_id, key)]],
      ['right, with a suffix', () => `${hash(user_id, key)}00`],
      ['right, with a prefix', () => `zz${hash(user_id, key)}`],
    ])('refuses a user_hash that is %s', async (_, user_hash) => {
      expect(await post({ user_id, project_id, user_hash: user_hash() })).toMatchObject({
        status: 401,
        headers: { 'www-authenticate': 'Bearer realm="avatar-chat"' },
        body: { error: 'invalid_user_hash' },
      });
    });

    it('does not require one in an open project', async () => {
      expect((await post({ user_id, user_hash: 'whatever' })).status).toBe(200);
    });
  });
});
