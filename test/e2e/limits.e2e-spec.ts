import { anyServer, aUser, createTestApp, type TestApp } from '../support/index.js';

let test: TestApp;
afterEach(() => test.close());

const limited = async (
  limits: Partial<{ jwt: number; turns: number; reads: number }>,
  trustProxy: string | number | boolean = false,
) => {
  const rateLimits = { enabled: true, jwt: 300, turns: 60, reads: 600, ...limits };
  test = await createTestApp({ server: anyServer(), config: { rateLimits, trustProxy } });
};
const tokenFrom = (address: string, user_id = aUser()) =>
  test.call({ method: 'POST', path: '/jwt', body: { user_id }, headers: { 'x-forwarded-for': address } });

describe('the rate limits', () => {
  it('count tokens by address, whoever they are for', async () => {
    await limited({ jwt: 3 });
    const answers = [];
    for (let n = 0; n < 5; n++) answers.push(await tokenFrom('10.0.0.1'));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429]);
    expect(answers[0]!.headers).toMatchObject({
      'ratelimit-limit': '3',
      'ratelimit-remaining': '2',
      'ratelimit-reset': expect.stringMatching(/^([1-9]|[1-5]\d|60)$/),
    });
    expect(answers[4]).toMatchObject({ body: { error: 'rate_limited' }, headers: { 'ratelimit-remaining': '0' } });
    expect(Number(answers[4]!.headers['retry-after'])).toBeGreaterThan(0);
  });

  // Our neighbour is the loopback address, and says the rest.
  it.each<[string, string | number | boolean, string, string, boolean]>([
    ['no proxy is trusted', false, '10.0.0.1', '10.0.0.2', false],
    ['another proxy is trusted', '10.9.9.9', '10.0.0.1', '10.0.0.2', false],
    ['one hop is trusted', 1, '10.0.0.1', '10.0.0.2', true],
    [
      'one hop is trusted, and the client puts an address before its own',
      1,
      '1.1.1.1, 10.0.0.1',
      '2.2.2.2, 10.0.0.1',
      false,
    ],
    ['two hops are trusted', 2, '10.0.0.1, 10.0.0.9', '10.0.0.2, 10.0.0.9', true],
    [
      'our proxy is trusted, and the client puts an address before its own',
      'loopback',
      '1.1.1.1, 10.0.0.1',
      '2.2.2.2, 10.0.0.1',
      false,
    ],
    [
      'two proxies are trusted by their addresses',
      'loopback, 10.0.0.9',
      '10.0.0.1, 10.0.0.9',
      '10.0.0.2, 10.0.0.9',
      true,
    ],
    ['it is what no proxy would forward', 'loopback', `${'x'.repeat(64)}1`, `${'x'.repeat(64)}2`, false],
    ['they are of one IPv6 network', 'loopback', '2001:db8::1', '2001:db8::2', false],
    ['they are of two IPv6 networks', 'loopback', '2001:db8::1', '2001:db8:0:1::1', true],
    ['one is the other, written for IPv6', 'loopback', '10.0.0.1', '::ffff:10.0.0.1', false],
  ])('of two forwarded addresses where %s', async (_, trustProxy, first, second, differ) => {
    await limited({ jwt: 1 }, trustProxy);
    expect((await tokenFrom(first)).status).toBe(200);
    expect((await tokenFrom(second)).status).toBe(differ ? 200 : 429);
  });

  it('count reads by user, over all routes, and leave other users and open routes alone', async () => {
    await limited({ reads: 2 });
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

  it('are off where they are not on', async () => {
    test = await createTestApp({
      server: anyServer(),
      config: { rateLimits: { enabled: false, jwt: 1, turns: 1, reads: 1 } },
    });
    for (let n = 0; n < 3; n++) expect((await tokenFrom('10.0.0.1')).headers['ratelimit-limit']).toBeUndefined();
  });
});
