import { createHmac } from 'node:crypto';
import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { AuthService, CatalogueService, Owner } from '../../src/index.js';
import { anyServer, aProject, createTestApp, type TestApp } from '../support/index.js';

type Json = Record<string, unknown>;

let test: TestApp;
let header: Json;
let claims: Json;
const PREVIOUS = 'a former secret of 32 bytes or more, no longer signing';

beforeAll(async () => {
  test = await createTestApp({ server: anyServer(), config: { jwtPreviousSecrets: [PREVIOUS] } });
  [header, claims] = (await test.token('ann')).split('.').slice(0, 2).map(decode) as [Json, Json];
});
afterAll(() => test.close());

const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Json;
const sign = (head: unknown, body: unknown, secret = test.config.jwtSecret, algorithm = 'sha256') => {
  const input = `${encode(head)}.${encode(body)}`;
  return `${input}.${createHmac(algorithm, secret).update(input).digest('base64url')}`;
};
const forged = (changes: Json, head: Json = {}) => sign({ ...header, ...head }, { ...claims, ...changes });
const ask = (authorization?: string) =>
  test.call({ path: '/connection', headers: authorization === undefined ? {} : { authorization } });
const seconds = () => Math.floor(test.clock.now() / 1000);

describe('a token', () => {
  it('is valid on protected routes, with the scheme in any case, any number of times', async () => {
    const token = await test.token('ann');
    for (const scheme of ['Bearer', 'Bearer', 'bearer', 'BEARER'])
      expect((await ask(`${scheme} ${token}`)).status).toBe(200);
  });

  it('may become valid up to a minute ahead', async () => {
    expect((await ask(`Bearer ${forged({ nbf: seconds() + 55 })}`)).status).toBe(200);
    expect((await ask(`Bearer ${forged({ nbf: seconds() + 65 })}`)).body.error).toBe('invalid_token');
  });

  it.each([
    ['no header', undefined],
    ['an empty one', ''],
    ['another scheme', 'Basic YTpi'],
    ['a scheme alone', 'Bearer'],
    ['a scheme and spaces', 'Bearer   '],
  ])('is missing if there is %s', async (_, authorization) => {
    const answer = await ask(authorization);
    expect(answer).toMatchObject({ status: 401, body: { error: 'missing_token' } });
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="avatar-chat"');
    expect(answer.body.message).toContain(authorization ? 'must be "Bearer "' : 'Authorization: Bearer TOKEN');
  });

  it.each<[string, () => string | Promise<string>]>([
    ['not a token', () => 'nonsense'],
    ['two parts', () => sign(header, claims).split('.').slice(0, 2).join('.')],
    ['four parts', () => `${sign(header, claims)}.x`],
    ['two tokens', () => `${sign(header, claims)} ${sign(header, claims)}`],
    ['unsigned', () => `${encode({ ...header, alg: 'none' })}.${encode(claims)}.`],
    ['of another algorithm', () => sign({ ...header, alg: 'HS512' }, claims, test.config.jwtSecret, 'sha512')],
    ['of an algorithm in another case', () => sign({ ...header, alg: 'hs256' }, claims)],
    ['of another secret', () => sign(header, claims, 'another secret of at least 32 bytes, quite so')],
    [
      'of another secret, without a kid',
      () => sign({ alg: 'HS256', typ: 'JWT' }, claims, 'another secret of at least 32 bytes, quite so'),
    ],
    ['of another kid', () => forged({}, { kid: 'other' })],
    ['of a kid that is no string', () => forged({}, { kid: null })],
    ['critical', () => forged({}, { crit: ['exp'] })],
    ['of a payload not encoded', () => forged({}, { b64: false })],
    [
      'with base64 that is not canonical',
      () => sign(header, claims).replace(/.$/, (last) => String.fromCharCode(last.charCodeAt(0) + 1)),
    ],
    ['padded', () => `${sign(header, claims)}=`],
    ['with a header that is a list', () => sign([header], claims)],
    ['with claims that are a list', () => sign(header, [claims])],
    ['with claims that are a string', () => sign(header, encode('x'))],
    [
      'with claims that are not UTF-8',
      () => sign(header, claims).replace(/\.[^.]+\./, `.${Buffer.from([0x7b, 0xff, 0x7d]).toString('base64url')}.`),
    ],
    ['longer than 4 KiB', () => forged({ filler: 'x'.repeat(4096) })],
    ['of another epoch of its project', () => forged({ epoch: 'another' })],
    ['of an epoch that is no string', () => forged({ epoch: [claims.epoch] })],
    ['of another issuer', () => forged({ iss: 'other' })],
    ['for another audience', () => forged({ aud: 'other' })],
    ['for a list of audiences', () => forged({ aud: ['avatar-chat'] })],
    ['without an issuer', () => forged({ iss: undefined })],
    ['without a user', () => forged({ sub: undefined })],
    ['of a user that is a list', () => forged({ sub: ['ann'] })],
    ['of a user outside the alphabet', () => forged({ sub: 'a b' })],
    ['without a project', () => forged({ project: undefined })],
    ['of a project outside the alphabet', () => forged({ project: 'a_b' })],
    ['without an identifier', () => forged({ jti: undefined })],
    ['without an expiry', () => forged({ exp: undefined })],
    ['with a non-numeric expiry', () => forged({ exp: String(claims.exp) })],
    ['with an expiry that never comes', () => forged({ exp: 1e300 })],
    ['with an infinite expiry', () => sign(header, JSON.stringify(claims).replace(/"exp":\d+/, '"exp":1e999'))],
    ['living longer than a token may', () => forged({ exp: Number(claims.exp) + 1 })],
    ['living backwards', () => forged({ exp: Number(claims.iat) - 1 })],
    ['with no lifetime', () => forged({ exp: claims.iat })],
    ['issued before 1970', () => forged({ iat: -1, exp: 1 })],
    ['without a time of issue', () => forged({ iat: undefined })],
    ['issued more than a minute ahead', () => forged({ iat: seconds() + 61, exp: seconds() + 100 })],
    ['not valid before its expiry', () => forged({ nbf: Number(claims.exp) + 86_400 })],
    ['with a non-numeric start', () => forged({ nbf: 'now' })],
  ])('is refused if it is %s, expired or not', async (_, make) => {
    for (const day of [0, 1]) {
      test.clock.advance(day * 86_400_000);
      const answer = await ask(`Bearer ${await make()}`);
      test.clock.advance(-day * 86_400_000);
      expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_token' } });
      expect(answer.headers['www-authenticate']).toBe('Bearer realm="avatar-chat", error="invalid_token"');
    }
  });

  it('is valid until the last second of its 24 hours and expired from then on', async () => {
    const token = await test.token('ann');
    const start = test.clock.now();
    test.clock.advance(86_400_000 - (start % 1000) - 1);
    expect((await ask(`Bearer ${token}`)).status).toBe(200);
    test.clock.advance(1);
    const expired = await ask(`Bearer ${token}`);
    test.clock.advance(start - test.clock.now());
    expect(expired).toMatchObject({ status: 403, body: { error: 'token_expired' } });
    expect(expired.headers['www-authenticate']).toBeUndefined();
  });

  it('is valid if the clock of the issuing process is up to a minute ahead, and expires no later for it', async () => {
    const token = forged({ iat: seconds() + 60, exp: seconds() + 70 });
    expect((await ask(`Bearer ${token}`)).status).toBe(200);
    const start = test.clock.now();
    test.clock.advance(69_000);
    expect((await ask(`Bearer ${token}`)).status).toBe(200);
    test.clock.advance(1000);
    const expired = await ask(`Bearer ${token}`);
    test.clock.advance(start - test.clock.now());
    expect(expired).toMatchObject({ status: 403, body: { error: 'token_expired' } });
  });

  it('is refused once its project is removed, though it was valid before', async () => {
    const catalogue = test.app.get(CatalogueService);
    const project_id = aProject();
    await catalogue.addProject(project_id);
    const token = await test.token('ann', project_id);
    expect((await ask(`Bearer ${token}`)).status).toBe(200);
    await catalogue.removeProject(project_id);
    expect(await ask(`Bearer ${token}`)).toMatchObject({ status: 401, body: { error: 'project_not_found' } });
  });

  describe('carries the epoch of its project, so that it', () => {
    const projects = () => test.app.get<Connection>(getConnectionToken()).collection<any>('projects');
    const apply = (project_id: string, token_policy: string) =>
      catalogue().apply(JSON.stringify({ projects: [{ project_id, token_policy, avatars: [], languages: [] }] }));
    const catalogue = () => test.app.get(CatalogueService);

    it('is not valid again if a project of that name is added again', async () => {
      const project_id = aProject();
      await catalogue().addProject(project_id);
      const token = await test.token('ann', project_id);
      const unseen = await test.token('ann', project_id);
      expect((await ask(`Bearer ${token}`)).status).toBe(200);
      await catalogue().removeProject(project_id);
      await catalogue().addProject(project_id);
      for (const each of [token, unseen])
        expect(await ask(`Bearer ${each}`)).toMatchObject({ status: 401, body: { error: 'invalid_token' } });
      expect((await ask(`Bearer ${await test.token('ann', project_id)}`)).status).toBe(200);
      test.clock.advance(86_400_000);
      const expired = await ask(`Bearer ${token}`);
      test.clock.advance(-86_400_000);
      expect(expired).toMatchObject({ status: 401, body: { error: 'invalid_token' } });
    });

    it('expires when its project is no longer open', async () => {
      const project_id = aProject();
      await apply(project_id, 'open');
      const token = await test.token('ann', project_id);
      expect((await ask(`Bearer ${token}`)).status).toBe(200);
      await apply(project_id, 'open');
      expect((await ask(`Bearer ${token}`)).status).toBe(200);
      await apply(project_id, 'verified');
      expect(await ask(`Bearer ${token}`)).toMatchObject({ status: 401, body: { error: 'invalid_token' } });
      const proven = test.app.get(AuthService).sign(new Owner(project_id, 'ann'));
      for (const policy of ['verified', 'open']) {
        await apply(project_id, policy);
        expect((await ask(`Bearer ${proven}`)).status).toBe(200);
      }
    });

    it('is valid at once in a process that has not seen the new epoch', async () => {
      const project_id = aProject();
      await catalogue().addProject(project_id);
      await projects().updateOne({ _id: project_id }, { $set: { epoch: 'another' } });
      await test.app
        .get<Connection>(getConnectionToken())
        .collection('catalogue_revisions')
        .updateOne({}, { $set: { revision: project_id } });
      expect((await ask(`Bearer ${forged({ project: project_id, epoch: 'another' })}`)).status).toBe(200);
    });

    it('is valid until it expires if an earlier release issued it, without an epoch', async () => {
      expect((await ask(`Bearer ${forged({ epoch: undefined })}`)).status).toBe(200);
    });
  });

  it('is not valid for an unknown project', async () => {
    const token = test.app.get(AuthService).sign(new Owner(aProject(), 'ann'));
    expect(await ask(`Bearer ${token}`)).toMatchObject({ status: 401, body: { error: 'project_not_found' } });
  });

  it('reports expiry before an unknown project', async () => {
    const gone = forged({ project: 'gone' });
    expect(await ask(`Bearer ${gone}`)).toMatchObject({ status: 401, body: { error: 'project_not_found' } });
    test.clock.advance(86_400_000);
    const expired = await ask(`Bearer ${gone}`);
    test.clock.advance(-86_400_000);
    expect(expired).toMatchObject({ status: 403, body: { error: 'token_expired' } });
  });

  it('is valid without a kid, and under a former secret', async () => {
    const { kid: _, ...bare } = header;
    expect((await ask(`Bearer ${sign(bare, claims)}`)).status).toBe(200);
    expect((await ask(`Bearer ${sign(bare, claims, PREVIOUS)}`)).status).toBe(200);
  });

  it('survives a change of the secret, under the kid that it was issued with', async () => {
    const before = await createTestApp({ server: anyServer(), config: { jwtSecret: PREVIOUS }, clock: test.clock });
    // The same project, as if in the same database.
    const projects = before.app.get<Connection>(getConnectionToken()).collection<any>('projects');
    await projects.updateOne({ _id: 'default' }, { $set: { epoch: claims.epoch } });
    await before.app.get(CatalogueService).apply('{}');
    const token = await before.token('ann');
    await before.close();
    expect((await ask(`Bearer ${token}`)).status).toBe(200);
  });

  it('is only read from the Authorization header', async () => {
    const token = await test.token('ann');
    for (const path of [
      `/connection?access_token=${token}`,
      `/connection?token=${token}`,
      `/connection?auth_token=${token}`,
    ]) {
      expect((await test.call({ path, headers: { cookie: `jwt=${token}`, 'x-access-token': token } })).body.error).toBe(
        'missing_token',
      );
    }
  });
});
