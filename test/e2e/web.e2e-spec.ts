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

it.each(['/', '/widget.js', '/demo/page.js'])(
  '%s supports no other method, and shadows no other route',
  async (path) => {
    expect(await test.call({ method: 'POST', path })).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
    expect(await test.call({ path: `${path}x` })).toMatchObject({ status: 404 });
    expect(await test.call({ path: '/connection' })).toMatchObject({ status: 401 });
  },
);
