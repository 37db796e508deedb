import { anyServer, createTestApp, type TestApp } from '../support/index.js';

let test: TestApp;
beforeAll(async () => (test = await createTestApp({ server: anyServer(), config: { demo: true } })));
afterAll(() => test.close());

it('serves the page under a strict policy', async () => {
  const { status, headers, text } = await test.call({ path: '/' });
  expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'text/html; charset=utf-8' });
  expect(headers['content-security-policy']).toMatch(
    /^default-src 'none'; script-src 'self'; style-src 'sha256-[\w+/]{43}=';/,
  );
  expect(text).toContain('<script src="widget.js" defer>');
});

it('serves the widget compressed on request, and supports revalidation', async () => {
  const plain = await test.call({ path: '/widget.js' });
  expect(plain.headers).toMatchObject({
    'content-type': expect.stringMatching(/^(text|application)\/javascript; charset=utf-8$/),
    'cache-control': 'public, max-age=0',
  });
  const packed = await test.call({ path: '/widget.js', headers: { 'accept-encoding': 'gzip' } });
  expect(packed.headers).toMatchObject({
    'content-encoding': 'gzip',
    'content-type': expect.stringMatching(/^(text|application)\/javascript; charset=utf-8$/),
  });
  expect(Number(packed.headers['content-length'])).toBeLessThan(40 * 1024);
  const again = await test.call({ path: '/widget.js', headers: { 'if-none-match': plain.headers['etag']! } });
  expect(again.status).toBe(304);
});

describe('the console', () => {
  const adminKey = 'k'.repeat(40);
  let operators: TestApp;
  beforeAll(async () => {
    operators = await createTestApp({ server: anyServer(), config: { adminKey, publicUrl: 'https://chat.test/deep' } });
  });
  afterAll(() => operators.close());

  it('is off without an ADMIN_KEY', async () => {
    for (const path of ['/console', '/console/', '/console/console.js', '/console/icon.svg'])
      expect((await test.call({ path })).status).toBe(404);
  });

  it('has a strict policy, and loads from its own origin by relative addresses', async () => {
    const { status, headers, text } = await operators.call({ path: '/console' });
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'text/html; charset=utf-8' });
    expect(headers).toMatchObject({
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; script-src 'self'; style-src 'sha256-[\w+/]{43}='; connect-src 'self'; img-src 'self' https:\/\/chat\.test; media-src 'self' https:\/\/chat\.test; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'$/,
      ),
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    });
    const addresses = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address);
    expect(addresses).toEqual(['console/icon.svg', 'console/console.js']);
    for (const path of addresses) expect((await operators.call({ path: `/${path}` })).status).toBe(200);
    expect(await operators.call({ path: '/console/' })).toMatchObject({
      status: 308,
      headers: { location: '../console' },
    });
    for (const path of ['/console/index.html', '/console/console.js.gz', '/console/..%2findex.html'])
      expect((await operators.call({ path })).status).toBe(404);
  });
});

it.each(['/', '/widget.js', '/demo/page.js'])(
  '%s supports no other method, and shadows no other route',
  async (path) => {
    expect(await test.call({ method: 'POST', path })).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
    expect(await test.call({ path: `${path}x` })).toMatchObject({ status: 404 });
    expect(await test.call({ path: '/connection' })).toMatchObject({ status: 401 });
  },
);
