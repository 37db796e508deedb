import type { FastifyInstance } from 'fastify';
import { RatingsModule } from '../../examples/ratings/src/ratings.module.js';
import { createAdapter, ChatService, Config } from '../../src/index.js';
import { anOwner, aTurn, createTestApp, onEachServer, type TestApp } from '../support/index.js';

/** What may be reached without a token. Whoever adds to it says why in its review. */
const OPEN = [
  'GET /assets/*',
  'GET /docs',
  'GET /docs-json',
  'GET /docs/',
  'GET /docs/*',
  'GET /docs/LICENSE',
  'GET /docs/docs/swagger-ui-init.js',
  'GET /docs/index.html',
  'GET /docs/swagger-ui-init.js',
  'GET /files/:file_id',
  'GET /files/:file_id/details',
  'GET /health/live',
  'GET /health/ready',
  'GET /metrics',
  'GET /widget.js',
  'POST /jwt',
];

onEachServer((server) => {
  let test: TestApp;
  const routes: { method: string; url: string }[] = [];
  beforeAll(async () => {
    test = await createTestApp({
      server,
      modules: [RatingsModule],
      config: { adminKey: 'k'.repeat(32) },
      onAdapter: (adapter) =>
        adapter.getInstance<FastifyInstance>().addHook('onRoute', ({ method, url }) => {
          for (const one of [method].flat()) routes.push({ method: one, url });
        }),
    });
  });
  afterAll(() => test.close());

  describe('a module of another team', () => {
    it('is closed without a word of its own, as is every route but those that are meant to be open', async () => {
      const open: string[] = [];
      const operators: string[] = [];
      for (const { method, url } of routes) {
        const path = url.replace(/:\w+/g, 'x').replace('*', 'x');
        const { status, body } = await test.call({ method: method as 'GET', path });
        if (status === 401 && url.startsWith('/admin/') && (method === 'HEAD' || body.error === 'invalid_admin_key')) {
          operators.push(url);
          continue;
        }
        const missing = status === 401 && (method === 'HEAD' || body.error === 'missing_token');
        if (!missing && method !== 'HEAD') open.push(`${method} ${url}`);
      }
      expect(routes.map(({ method, url }) => `${method} ${url}`)).toEqual(
        expect.arrayContaining([
          'GET /connection',
          'GET /chat',
          'GET /widget.js',
          'POST /jwt',
          'PUT /ratings/:message_id',
          'GET /ratings/:message_id',
        ]),
      );
      expect([...new Set(open)].sort()).toEqual(OPEN);
      expect(operators).toHaveLength(routes.filter(({ url }) => url.startsWith('/admin')).length);
      expect(operators.length).toBeGreaterThan(9);
    });

    it('validates, stores and reads in the name of the user of the token', async () => {
      const owner = anOwner();
      const { incoming } = await test.app.get(ChatService).record(aTurn({ owner }));
      const token = await test.token(owner.user_id);
      const path = `/ratings/${incoming._id}`;
      expect(await test.call({ path, token })).toMatchObject({ status: 404, body: { error: 'rating_not_found' } });
      expect(await test.call({ method: 'PUT', path, token, body: { stars: 6 } })).toMatchObject({
        status: 400,
        body: { error: 'invalid_stars' },
      });
      expect(await test.call({ method: 'PUT', path, token, body: { stars: 5 } })).toMatchObject({
        status: 200,
        body: { stars: 5 },
      });
      expect(await test.call({ path, token })).toMatchObject({ status: 200, body: { stars: 5 } });
      const other = await test.token(anOwner().user_id);
      expect((await test.call({ path, token: other })).status).toBe(404);
    });
  });
});

it('the adapter of the door is the one with the limits of the service', () => {
  expect(createAdapter(new Config()).getInstance().initialConfig.bodyLimit).toBe(65_536);
});
