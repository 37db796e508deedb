import { createHmac } from 'node:crypto';
import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { CatalogueService } from '../../src/index.js';
import { PUPPET, PuppetEngine, PuppetModule } from '../support/engines.js';
import { anyServer, aProject, aRecording, aUser, createTestApp, type TestApp } from '../support/index.js';
import { stagedCatalogue, PausePointsModule } from '../support/pause-points.js';

const HOUR = 3_600_000;

/** For what does not depend on whose addresses are trusted. */
let shared: TestApp;
beforeAll(async () => {
  shared = await createTestApp({
    server: anyServer(),
    modules: [PuppetModule, PausePointsModule],
    config: { rateLimits: { enabled: true, uploads: 1, jwt: 3, reads: 2 } },
  });
});
afterAll(() => shared.close());
/** Each test has windows of its own. */
beforeEach(() => shared.clock.advance(HOUR));
/** Of a test that needs other settings. */
let own: TestApp | undefined;
afterEach(async () => {
  await own?.close();
  own = undefined;
});

const tokenFrom = (test: TestApp, address: string, user_id = aUser()) =>
  test.call({ method: 'POST', path: '/jwt', body: { user_id }, headers: { 'x-forwarded-for': address } });

describe('the rate limits', () => {
  it('count the bytes of recordings per user and hour, including those of refused forms', async () => {
    const test = shared;
    const project_id = aProject();
    await test.app.get(CatalogueService).apply(stagedCatalogue(project_id));
    const token = await test.token(aUser(), project_id);
    const dictate = async (seconds: number, avatar_id: string, user = token) => {
      const form = new FormData();
      form.set('avatar_id', avatar_id);
      form.set('request', 'Hello');
      form.set('file', new Blob([new Uint8Array(aRecording(seconds))]), 'a.wav');
      const response = new Response(form);
      return test.app.inject({
        method: 'POST',
        url: '/chat',
        headers: { authorization: `Bearer ${user}`, 'content-type': response.headers.get('content-type')! },
        payload: Buffer.from(await response.arrayBuffer()),
      });
    };
    // 16,000 bytes per second: three of 20 s are less than 1 MiB, four are more.
    expect((await dictate(20, 'nobody')).statusCode).toBe(404);
    expect(
      (await Promise.all([dictate(20, 'staged'), dictate(20, 'staged')])).map(({ statusCode }) => statusCode),
    ).toEqual([201, 201]);
    const refused = await dictate(20, 'staged');
    expect({ status: refused.statusCode, error: refused.json().error }).toEqual({ status: 429, error: 'rate_limited' });
    const seconds = Number(refused.headers['retry-after']);
    expect(seconds > 0 && seconds <= 3600).toBe(true);
    expect((await dictate(1, 'staged')).statusCode).toBe(201);
    expect((await dictate(20, 'staged', await test.token(aUser(), project_id))).statusCode).toBe(201);
    test.clock.advance(seconds * 1000);
    expect((await dictate(20, 'staged')).statusCode).toBe(201);
  });

  it('count tokens by address, whoever they are for', async () => {
    const answers = [];
    for (let n = 0; n < 5; n++) answers.push(await tokenFrom(shared, '10.0.0.1'));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429]);
    expect(answers[0]!.headers).toMatchObject({
      'ratelimit-limit': '3',
      'ratelimit-remaining': '2',
      'ratelimit-reset': expect.stringMatching(/^([1-9]|[1-5]\d|60)$/),
    });
    expect(answers[4]).toMatchObject({ body: { error: 'rate_limited' }, headers: { 'ratelimit-remaining': '0' } });
    expect(Number(answers[4]!.headers['retry-after'])).toBeGreaterThan(0);
  });

  // The peer is the loopback address, which forwards the rest.
  it.each<[string | number | boolean, [what: string, first: string, second: string, differ: boolean][]]>([
    [false, [['forwarded addresses', '10.0.0.1', '10.0.0.2', false]]],
    ['10.9.9.9', [['addresses forwarded by another', '10.0.0.1', '10.0.0.2', false]]],
    [
      1,
      [
        ['two clients', '10.0.0.1', '10.0.0.2', true],
        ['a client that prepends an address to its own', '1.1.1.1, 10.0.0.3', '2.2.2.2, 10.0.0.3', false],
      ],
    ],
    [2, [['two clients behind two proxies', '10.0.0.1, 10.0.0.9', '10.0.0.2, 10.0.0.9', true]]],
    [
      'loopback, 10.0.0.9',
      [
        ['two clients behind two proxies', '10.0.0.1, 10.0.0.9', '10.0.0.2, 10.0.0.9', true],
        ['a client that prepends an address to its own', '1.1.1.1, 10.0.0.3', '2.2.2.2, 10.0.0.3', false],
        ['what no proxy would forward', `${'x'.repeat(64)}1`, `${'x'.repeat(64)}2`, false],
        ['one IPv6 network', '2001:db8::1', '2001:db8::2', false],
        ['two IPv6 networks', '2001:db8:1::1', '2001:db8:1:1::1', true],
        ['an address, and the same written for IPv6', '10.0.0.4', '::ffff:10.0.0.4', false],
        ['two connections of a client', '10.0.0.5:40001', '10.0.0.5:40002', false],
        ['an address with and without a port', '10.0.0.6', '10.0.0.6:443', false],
        ['two clients with ports', '10.0.0.7:40001', '10.0.0.8:40001', true],
        ['two connections by IPv6', '[2001:db8:2::1]:40001', '[2001:db8:2::1]:40002', false],
        ['an IPv6 address with and without brackets', '[2001:db8:3::1]', '2001:db8:3::1', false],
        ['two IPv6 networks with ports', '[2001:db8:4::1]:1', '[2001:db8:5::1]:1', true],
        ['an address in quotes', '"10.0.0.10:1"', '10.0.0.10', false],
        ['an IPv6 address with a zone', '[fe80::1%eth0]:40001', 'fe80::1%eth1', false],
        ['a client behind proxies with ports', '10.0.0.11:1, 10.0.0.9:2', '10.0.0.11:3, 10.0.0.9:4', false],
        ['all that sends no address', 'unknown', 'unknown', false],
        ['a written IPv4 address with a port', '[::ffff:10.0.0.12]:1', '10.0.0.12', false],
      ],
    ],
  ])('distinguish clients if TRUST_PROXY is %s', async (trustProxy, rows) => {
    const rateLimits = { enabled: true, jwt: 1 };
    own = await createTestApp({ server: anyServer(), config: { rateLimits, trustProxy } });
    for (const [what, first, second, differ] of rows) {
      expect([what, (await tokenFrom(own, first)).status]).toEqual([what, 200]);
      expect([what, (await tokenFrom(own, second)).status]).toEqual([what, differ ? 200 : 429]);
    }
  });

  it('count reads by user, over all routes, and do not affect other users and open routes', async () => {
    const test = shared;
    const [ann, bob] = [await test.token('ann'), await test.token('bob')];
    expect((await test.call({ path: '/connection', token: ann })).status).toBe(200);
    expect((await test.call({ path: '/chat?user_id=ann', token: ann })).status).toBe(200);
    expect(await test.call({ path: '/chat?user_id=ann', token: ann })).toMatchObject({
      status: 429,
      body: { error: 'rate_limited' },
    });
    expect(await test.call({ path: '/connection', token: `${ann}x` })).toMatchObject({ status: 401 });
    expect((await test.call({ path: '/connection', token: bob })).status).toBe(200);
    for (let n = 0; n < 5; n++) expect((await test.call({ path: '/health/live' })).status).toBe(200);
  });

  it('count turns in open projects also by address, and in verified ones only by user', async () => {
    const rateLimits = { enabled: true, openTurns: 3 };
    const test = await createTestApp({
      server: anyServer(),
      modules: [PuppetModule],
      config: { rateLimits, trustProxy: 1 },
    });
    own = test;
    const [open, verified] = [aProject(), aProject()];
    const shared = { avatars: ['puppet'], languages: ['en'], settings: { chat_types: ['text'] } };
    const projects = [
      { project_id: open, ...shared },
      { project_id: verified, token_policy: 'verified', ...shared },
    ];
    const catalogue = test.app.get(CatalogueService);
    await catalogue.apply(JSON.stringify({ avatars: [PUPPET], projects }));
    const key = (await catalogue.findProject(verified))!.key;
    const say = async (project_id: string, address: string) => {
      const user_id = aUser();
      const user_hash = createHmac('sha256', key).update(user_id).digest('hex');
      const { body } = await test.call({ method: 'POST', path: '/jwt', body: { user_id, project_id, user_hash } });
      return test.call({
        method: 'POST',
        path: '/chat',
        token: body.jwt as string,
        headers: { 'x-forwarded-for': address },
        body: { avatar_id: 'puppet', request: 'hello' },
      });
    };
    const statuses = async (project_id: string, address: string) => {
      const answers = [];
      for (let n = 0; n < 5; n++) answers.push((await say(project_id, address)).status);
      return answers;
    };
    expect(await statuses(open, '10.0.0.1')).toEqual([201, 201, 201, 429, 429]);
    const refused = await say(open, '10.0.0.1');
    expect(refused).toMatchObject({ status: 429, body: { error: 'rate_limited' } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await say(open, '10.0.0.2')).status).toBe(201);
    expect(await statuses(verified, '10.0.0.1')).toEqual([201, 201, 201, 201, 201]);
  });

  it('apply to the turns that a user has in progress', async () => {
    const test = shared;
    const project_id = aProject();
    const settings = { chat_types: ['text', 'voice'], messageTimeoutSeconds: 3 };
    const project = { project_id, avatars: ['puppet'], languages: ['en'], settings };
    await test.app.get(CatalogueService).apply(JSON.stringify({ avatars: [PUPPET], projects: [project] }));
    const [ann, bob] = [await test.token('ann', project_id), await test.token('bob', project_id)];
    const tell = (token: string, request: string) =>
      test.call({ method: 'POST', path: '/chat', token, body: { avatar_id: 'puppet', request } });
    const files = () => test.app.get<Connection>(getConnectionToken()).collection('files.files').countDocuments();
    const before = await files();
    const hanging = Array.from({ length: 10 }, () => tell(ann, 'hang'));
    while (test.app.get(PuppetEngine).asked.length < 10) await new Promise((resolve) => setTimeout(resolve, 10));

    expect(await tell(ann, 'one more')).toMatchObject({
      status: 429,
      body: { error: 'rate_limited' },
      headers: { 'retry-after': '1' },
    });
    const form = (name: string, content: Buffer | string, more = '') =>
      Buffer.concat([
        Buffer.from(`--x\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`),
        Buffer.from(content),
        Buffer.from('\r\n'),
      ]);
    const recorded = await test.app.inject({
      method: 'POST',
      url: '/chat',
      headers: { authorization: `Bearer ${ann}`, 'content-type': 'multipart/form-data; boundary=x' },
      payload: Buffer.concat([
        form('avatar_id', 'puppet'),
        form('request', 'one more'),
        form('file', aRecording(), '; filename="a.wav"'),
        Buffer.from('--x--\r\n'),
      ]),
    });
    expect(recorded.statusCode).toBe(429);
    expect(await files()).toBe(before);
    expect((await tell(bob, 'hello')).status).toBe(201);

    expect(new Set((await Promise.all(hanging)).map(({ status }) => status))).toEqual(new Set([504]));
    expect((await tell(ann, 'hello')).status).toBe(201);
    const { payload } = (await test.call({ path: '/chat?user_id=ann', token: ann })).body;
    expect(payload.filter(({ request }: { request: string }) => request === 'one more')).toEqual([]);
  });

  it('are off unless they are on', async () => {
    own = await createTestApp({
      server: anyServer(),
      config: { rateLimits: { enabled: false, jwt: 1, turns: 1, openTurns: 1, reads: 1 } },
    });
    for (let n = 0; n < 3; n++) expect((await tokenFrom(own, '10.0.0.1')).headers['ratelimit-limit']).toBeUndefined();
  });
});
