import { createHash, createHmac, generateKeyPairSync } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Module } from '@nestjs/common';
import { type IdentityEntry } from 'avatar-chat-catalogue';
import { AuthService, CatalogueService, TokenVerifier } from '../../src/index.js';
import { tokenVerifierContract } from '../../src/testing/index.js';
import { OutgoingHttp } from 'avatar-chat-runtime';
import { OidcVerifier } from '../../src/identity/oidc.verifier.js';
import {
  anyServer,
  aProject,
  createTestApp,
  EventReader,
  startOidcProvider,
  type OidcProvider,
  type TestApp,
} from '../support/index.js';
import { LiveClient } from '../support/live-client.js';

type Json = Record<string, unknown>;

/** Accepts `secret-of-USER`, and misbehaves in other ways on request. */
@Injectable()
class BadgeVerifier extends TokenVerifier {
  readonly kind = 'badge';
  validate = (entry: IdentityEntry) => (entry['colour'] === undefined ? [] : ['colour: is not known here']);
  async verify(token: string) {
    const [, user_id = '', expires = ''] = /^secret-of-([^.]*)\.?(.*)$/.exec(token) ?? [];
    if (expires === 'fault') throw new Error('not a badge');
    return { user_id, expires_at: Number(expires) || Math.floor(test.clock.now() / 1000) + 60 };
  }
}
@Module({ providers: [BadgeVerifier] })
class BadgeModule {}

let test: TestApp;
let port: number;
let provider: OidcProvider;
beforeAll(async () => {
  [provider, test] = await Promise.all([
    startOidcProvider(),
    createTestApp({ server: anyServer(), modules: [BadgeModule] }),
  ]);
  port = await test.listen();
  await apply(
    { project_id: 'shop', identity: { kind: 'oidc', issuer: provider.url, audience: 'urn:shop' } },
    {
      project_id: 'clients',
      token_policy: 'closed',
      identity: { kind: 'oidc', issuer: provider.url, audience: 'urn:clients', claims: { user_id: 'client_id' } },
    },
    { project_id: 'badges', identity: { kind: 'badge' } },
  );
});
afterAll(async () => {
  await provider?.stop();
  await test?.close();
});
afterEach(() => provider.mode('good'));

const apply = (...projects: Json[]) =>
  test.app
    .get(CatalogueService)
    .apply(JSON.stringify({ projects: projects.map((one) => ({ avatars: ['ada'], languages: ['en'], ...one })) }));
const read = (user_id: string, token: string) => test.call({ path: `/chat?user_id=${user_id}`, token });
const outcome = async (token: string, user_id = 'ann') => {
  const { status, body } = await read(user_id, token);
  return status === 200 ? 200 : `${status} ${body.error}`;
};
const seconds = () => Math.floor(test.clock.now() / 1000);
const claims = (changes: Json = {}) => ({
  iss: provider.url,
  aud: 'urn:shop',
  sub: 'ann',
  iat: seconds(),
  exp: seconds() + 60,
  ...changes,
});
/** A token of the service. */
const own = (user_id: string, project_id: string) => test.app.get(AuthService).sign({ project_id, user_id });
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const signed = async (changes: Json = {}, header: Json = {}) =>
  provider.sign({ alg: 'RS256', kid: await provider.kid(), ...header }, claims(changes));

describe('a token of a provider', () => {
  it('is valid on every route for its user, in the project of its audience, alongside tokens of the service', async () => {
    const token = await provider.token('ann', 'urn:shop');
    expect(await outcome(token)).toBe(200);
    expect(await outcome(token, 'bob')).toBe('404 user_not_found');
    const body = { avatar_id: 'ada', request: 'Hello' };
    expect(await test.call({ method: 'POST', path: '/chat', token, body })).toMatchObject({
      status: 201,
      body: { outgoing: { user_id: 'ann' } },
    });
    expect((await read('ann', token)).body.payload).toHaveLength(2);
    expect((await read('ann', own('ann', 'shop'))).body.payload).toHaveLength(2);
    expect((await read('ann', await provider.token('ann', 'urn:clients'))).body.payload).toEqual([]);
    expect(await test.call({ path: '/connection', token })).toMatchObject({ status: 200 });
    expect(await test.app.get(AuthService).verify(token)).toEqual({ project_id: 'shop', user_id: 'ann' });
  });

  it.each(['auth0|bob', 'x'.repeat(129)])('has a hashed user_id for an invalid subject: %s', async (subject) => {
    const token = await provider.token(subject, 'urn:shop');
    expect(await outcome(token, `x-${createHash('sha256').update(subject).digest('base64url')}`)).toBe(200);
  });

  it('does not let anyone choose a name that is the hash of another', async () => {
    const taken = `x-${createHash('sha256').update('auth0|bob').digest('base64url')}`;
    expect(await outcome(await signed({ sub: taken }), taken)).toBe('404 user_not_found');
  });

  it('has the user of the claim that the project names', async () => {
    expect(await outcome(await signed({ aud: 'urn:clients', client_id: 'carl' }), 'carl')).toBe(200);
    expect(await outcome(await signed({ aud: 'urn:clients' }))).toBe('401 invalid_token');
    expect(await outcome(await signed({ aud: 'urn:clients', client_id: ['ann'] }))).toBe('401 invalid_token');
  });

  it.each<[string, Json, Json?]>([
    ['of another issuer', { iss: 'https://id.example.org' }],
    ['of an issuer with another ending', { iss: 'http://127.0.0.1:1/' }],
    ['of another audience', { aud: 'urn:other' }],
    ['without an audience', { aud: undefined }],
    ['without a subject', { sub: undefined }],
    ['of an empty subject', { sub: '' }],
    ['with a subject that is not a string', { sub: 7 }],
    ['without an expiry', { exp: undefined }],
    ['with an expiry that is not a number', { exp: '9999999999' }],
    ['without a time', { iat: undefined }],
    ['from the future', { iat: 9_999_999_999, exp: 99_999_999_999 }],
    ['that is not valid yet', { nbf: 9_999_999_999 }],
    ['valid in more than a minute', { nbf: Math.floor(Date.now() / 1000) + 3600 }],
    ['issued after its expiry', { iat: 200, exp: 100 }],
    ['of another audience, and expired', { aud: 'urn:other', exp: 100, iat: 1 }],
    ['without a user, and expired', { sub: '', exp: 100, iat: 1 }],
    ['for a logout', {}, { typ: 'logout+jwt' }],
    ['of another kind, and expired', { exp: 100, iat: 1 }, { typ: 'logout+jwt' }],
    ['longer than 8 KiB', { filler: 'x'.repeat(8192) }],
  ])('is refused if it is one %s', async (_, changes, header = {}) => {
    expect(await outcome(await signed(changes, header))).toBe('401 invalid_token');
  });

  it.each<[string, (head: Json) => string]>([
    ['is unsigned', (head) => `${encode({ ...head, alg: 'none' })}.${encode(claims())}.`],
    ['has an empty signature', (head) => `${encode(head)}.${encode(claims())}.AA`],
    [
      'is signed by its public key as a shared secret',
      (head) => {
        const input = `${encode({ ...head, alg: 'HS256' })}.${encode(claims())}`;
        return `${input}.${createHmac('sha256', 'the public key').update(input).digest('base64url')}`;
      },
    ],
    ['is critical', (head) => `${encode({ ...head, crit: ['exp'] })}.${encode(claims())}.AA`],
  ])('is refused if it %s', async (_, forge) => {
    expect(await outcome(forge({ alg: 'RS256', kid: await provider.kid() }))).toBe('401 invalid_token');
  });

  it('is 403 if it has expired and is otherwise valid', async () => {
    const token = await signed();
    expect(await outcome(token)).toBe(200);
    test.clock.advance(60_000);
    expect(await outcome(token)).toBe('403 token_expired');
    const [head, , signature] = token.split('.');
    expect(await outcome(`${head}.${encode(claims({ exp: 100, iat: 1 }))}.${signature}`)).toBe('401 invalid_token');
  });

  it('may begin and be issued up to a minute ahead, but not end behind', async () => {
    for (const changes of [
      { nbf: seconds() + 55 },
      { iat: seconds() + 55 },
      { exp: seconds() + 2, nbf: seconds() + 1 },
    ])
      expect(await outcome(await signed(changes))).toBe(200);
    expect(await outcome(await signed({ iat: seconds() - 60, exp: seconds() - 1 }))).toBe('403 token_expired');
  });

  it('with several audiences belongs to the one project that accepts it, or to that of the first', async () => {
    const both = ['urn:clients', 'urn:shop'];
    const owner = async (changes: Json) => test.app.get(AuthService).verify(await signed(changes));
    expect(await owner({ aud: both, client_id: 'carl' })).toEqual({ project_id: 'clients', user_id: 'carl' });
    expect(await owner({ aud: both })).toEqual({ project_id: 'shop', user_id: 'ann' });
    expect(await owner({ aud: both.toReversed(), client_id: 'carl' })).toEqual({ project_id: 'shop', user_id: 'ann' });
  });

  it('is verified once, until its keys or its project change', async () => {
    const verify = jest.spyOn(crypto.subtle, 'verify');
    try {
      const [token, other] = [await signed({ jti: 'once' }), await signed({ jti: 'other' })];
      for (let n = 0; n < 5; n++) expect(await outcome(token)).toBe(200);
      expect(verify).toHaveBeenCalledTimes(1);
      expect(await outcome(other)).toBe(200);
      expect(await outcome(`${token.slice(0, -8)}AAAAAAAA`)).toBe('401 invalid_token');
      expect(verify).toHaveBeenCalledTimes(3);
      test.clock.advance(60_000);
      expect(await outcome(token)).toBe('403 token_expired');
    } finally {
      verify.mockRestore();
    }
  });

  it('is reported as missing if a request has none', async () => {
    expect(await test.call({ path: '/connection' })).toMatchObject({ status: 401, body: { error: 'missing_token' } });
  });

  it('of the service itself is not accepted as one of a provider', async () => {
    expect(await outcome(await signed({ iss: 'avatar-chat' }))).toBe('401 invalid_token');
  });
});

describe('the keys of a provider', () => {
  it('may change at any time: new ones are known at once, and withdrawn ones expire', async () => {
    const before = await signed();
    expect(await outcome(before)).toBe(200);
    await provider.rotate();
    test.clock.advance(5000);
    const both = await Promise.all([signed(), signed(), before].map(async (token) => outcome(await token)));
    expect(both.slice(0, 2)).toEqual([200, 200]);
    expect(await outcome(before)).toBe('401 invalid_token');
  });

  it('are fetched at most once in five seconds for unknown ones', async () => {
    test.clock.advance(5000);
    const fetches = await provider.fetches();
    const unknown = await Promise.all(Array.from({ length: 8 }, (_, n) => signed({}, { kid: `unknown-${n}` })));
    expect(new Set(await Promise.all(unknown.map((token) => outcome(token))))).toEqual(new Set(['401 invalid_token']));
    const after = await provider.fetches();
    expect(after - fetches).toBeLessThanOrEqual(2);
    test.clock.advance(4999);
    for (const token of unknown) expect(await outcome(token)).toBe('401 invalid_token');
    expect(await provider.fetches()).toBe(after);
  });

  it.each(['down', 'silent', 'redirect', 'huge', 'many', 'empty', 'other-issuer'])(
    'stay valid if the provider is %s, and unknown ones are 503',
    async (mode) => {
      const [token, unknown] = [await signed(), await signed({}, { kid: 'unknown' })];
      expect(await outcome(token)).toBe(200);
      test.clock.advance(5000);
      await provider.mode(mode);
      expect(await outcome(unknown)).toBe('503 service_unavailable');
      expect(await outcome(unknown)).toBe('503 service_unavailable');
      expect(await outcome(token)).toBe(200);
      await provider.mode('good');
      test.clock.advance(5000);
      expect(await outcome(unknown)).toBe('401 invalid_token');
    },
  );

  it('are fetched again after ten minutes', async () => {
    await outcome(await signed());
    test.clock.advance(600_000);
    const fetches = await provider.fetches();
    expect(await outcome(await signed())).toBe(200);
    while ((await provider.fetches()) === fetches);
  });
});

describe('a project with a provider', () => {
  const identity = () => ({ kind: 'oidc', issuer: provider.url, audience: 'urn:policy' });

  it('is closed, unless its own server verifies the users: nobody becomes a user by POST /jwt', async () => {
    const project_id = 'policy';
    const ask = async () =>
      (await test.call({ method: 'POST', path: '/jwt', body: { user_id: 'ann', project_id } })).body.error;
    await apply({ project_id });
    expect(await ask()).toBeUndefined();
    await apply({ project_id, identity: identity() });
    expect(await ask()).toBe('tokens_closed');
    await apply({ project_id, identity: identity(), token_policy: 'verified' });
    expect(await ask()).toBe('invalid_user_hash');
    await expect(apply({ project_id, identity: identity(), token_policy: 'open' })).rejects.toThrow(
      'projects[0].token_policy: must be closed or verified beside identity',
    );
    await test.app.get(CatalogueService).removeProject(project_id);
  });

  it('issues no tokens if its policy is closed', async () => {
    const answer = await test.call({
      method: 'POST',
      path: '/jwt',
      body: { user_id: 'ann', project_id: 'clients' },
    });
    expect(answer).toMatchObject({ status: 401, body: { error: 'tokens_closed' } });
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="avatar-chat"');
  });

  it('no longer accepts its tokens once it is removed, or has none', async () => {
    const identity = { kind: 'oidc', issuer: provider.url, audience: 'urn:passing' };
    await apply({ project_id: 'passing', identity });
    const token = await signed({ aud: 'urn:passing' });
    expect(await outcome(token)).toBe(200);
    await apply({ project_id: 'passing' });
    expect(await outcome(token)).toBe('401 invalid_token');
    await apply({ project_id: 'passing', identity });
    expect(await outcome(token)).toBe(200);
    await test.app.get(CatalogueService).removeProject('passing');
    expect(await outcome(token)).toBe('401 invalid_token');
  });

  it.each<[string, Json | undefined]>([
    ['removed', undefined],
    ['changed', { audience: 'urn:other' }],
  ])('ends what its tokens have opened once its entry is %s', async (_, changes) => {
    const project_id = aProject();
    const entry = { kind: 'oidc', issuer: provider.url, audience: project_id };
    const applyIdentity = (identity?: Json) => apply({ project_id, ...(identity ? { identity } : {}) });
    await applyIdentity(entry);
    const token = await signed({ aud: project_id });
    const issue = { method: 'POST', path: '/v1/realtime/client_secrets', token, body: {} } as const;
    const { value } = (await test.call(issue)).body as { value: string };
    const open = (bearer: string) => LiveClient.open(port, 'model=ada', bearer);
    const sessions = [await open(token), await open(value)];
    const reader = await EventReader.open(port, '/chat/events', { authorization: `Bearer ${token}` });
    await applyIdentity(entry); // the same again changes nothing
    await delay(1500);
    expect(sessions.map(({ socket }) => socket.readyState)).toEqual([1, 1]);
    expect(reader.events).toEqual([]);
    await applyIdentity(changes && { ...entry, ...changes });
    for (const session of sessions) {
      expect(await session.next('session.going_away')).toMatchObject({ reason: 'invalid_token' });
      expect(await session.closed).toMatchObject({ code: 1008 });
    }
    await reader.untilEnd();
    expect(reader.events).toEqual([{ event: 'token_expired', data: {} }]);
    await expect(open(value)).rejects.toThrow('401');
  });

  it('accepts its tokens, and none of another issuer, also if every project names its issuer', async () => {
    const [token, foreign] = [await signed(), await signed({ iss: 'https://id.example.org' })];
    await test.app.get(CatalogueService).removeProject('badges');
    expect([await outcome(token), await outcome(foreign)]).toEqual([200, '401 invalid_token']);
    await apply({ project_id: 'badges', identity: { kind: 'badge' } });
  });

  it('is exported as it was applied, and its provider is not copied to projects that are added', async () => {
    const catalogue = test.app.get(CatalogueService);
    const { projects } = JSON.parse(await catalogue.export()) as { projects: Json[] };
    expect(projects.find(({ project_id }) => project_id === 'shop')).toMatchObject({
      identity: { kind: 'oidc', issuer: provider.url, audience: 'urn:shop' },
    });
    await apply({ project_id: 'default', identity: { kind: 'badge' } });
    const added = await catalogue.addProject('added');
    expect(added).not.toHaveProperty('identity');
    expect(added).toMatchObject({ token_policy: 'verified' });
    await apply({ project_id: 'default' });
    expect(await catalogue.findProject('default')).not.toHaveProperty('identity');
  });

  it.each<[string, Json, string]>([
    ['no issuer', { kind: 'oidc', audience: 'a' }, 'projects[0].identity.issuer: must be an http or https URL'],
    ['no audience', { kind: 'oidc', issuer: 'https://id.test' }, 'projects[0].identity.audience: must be a text'],
    [
      'a symmetric algorithm',
      { kind: 'oidc', issuer: 'https://id.test', audience: 'a', algorithms: ['RS256', 'HS256'] },
      'projects[0].identity.algorithms: must be a list of RS256,',
    ],
    [
      'an empty claim name',
      { kind: 'oidc', issuer: 'https://id.test', audience: 'a', claims: { user: 'sub' } },
      'projects[0].identity.claims: must be an object',
    ],
    ['an unknown field', { kind: 'badge', colour: 'red' }, 'projects[0].identity.colour: is not known here'],
    ['an unknown kind', { kind: 'saml' }, 'projects[0].identity.kind: must be one of badge, oidc'],
  ])('is refused with %s', async (_, identity, fault) => {
    await expect(apply({ project_id: 'bad', identity })).rejects.toThrow(fault);
  });

  it('is refused with the issuer and audience of another', async () => {
    const identity = { kind: 'oidc', issuer: provider.url, audience: 'urn:shop' };
    await expect(apply({ project_id: 'copy', identity })).rejects.toThrow(
      'projects[0].identity: has the issuer and the audience of project shop',
    );
  });
});

describe('a verifier of a module', () => {
  it.each<[string, string, number | string]>([
    ['is believed', 'secret-of-ann', 200],
    ['may return an expiry in milliseconds', `secret-of-ann.${Date.now() + 86_400_000 * 365}`, 200],
    ['may report that a token has expired', 'secret-of-ann.100', '403 token_expired'],
    ['may throw anything', 'secret-of-ann.fault', '401 invalid_token'],
    ['may return no user', 'secret-of-', '401 invalid_token'],
  ])('%s', async (_, token, expected) => {
    expect(await outcome(token)).toBe(expected);
  });

  it('limits tokens for the live mode to its expiry', async () => {
    const { body } = await test.call({
      method: 'POST',
      path: '/v1/realtime/client_secrets',
      token: 'secret-of-ann',
      body: {},
    });
    // A minute is left of the provider's token, and a secret would last ten.
    expect(body).toMatchObject({ value: expect.stringMatching(/^ek_/), expires_at: seconds() + 60 });
    expect(body.value).not.toContain('secret-of-ann');
  });
});

describe('tokens without a request', () => {
  it.each<[string, () => string | Promise<string>, object]>([
    ['of the service', () => own('ann', 'shop'), { project_id: 'shop', user_id: 'ann' }],
    ['without the right form', () => 'a.b.c', { code: 'invalid_token' }],
    ['that is empty', () => '', { code: 'invalid_token' }],
  ])('are verified: one %s', async (_, token, expected) => {
    const verified = test.app.get(AuthService).verify(await token());
    expect(await verified.catch((error: unknown) => error)).toMatchObject(expected);
  });

  it('may be expired, or of no project, as with a request', async () => {
    await apply({ project_id: 'gone' });
    const [token, orphan] = [own('ann', 'shop'), await test.token('ann', 'gone')];
    await test.app.get(CatalogueService).removeProject('gone');
    const auth = test.app.get(AuthService);
    await expect(auth.verify(orphan)).rejects.toMatchObject({ status: 401, code: 'project_not_found' });
    test.clock.advance(86_400_000);
    await expect(auth.verify(token)).rejects.toMatchObject({ status: 403, code: 'token_expired' });
  });
});

describe('the verifier oidc', () => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  tokenVerifierContract(
    'oidc',
    () => new OidcVerifier(test.config, test.clock, test.app.get(OutgoingHttp)),
    async () => ({
      entry: { kind: 'oidc', issuer: provider.url, audience: 'urn:shop' },
      token: await signed(),
      user_id: 'ann',
      bad: `${encode({ alg: 'RS256', kid: await provider.kid() })}.${encode(claims())}.${encode(publicKey.asymmetricKeyType)}`,
    }),
  );
});
