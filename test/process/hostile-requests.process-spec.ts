import { readFileSync } from 'node:fs';
import { extraTime, hostileRequests } from '../support/hostile-requests.mjs';
import { anyServer, createTestApp, type TestApp } from '../support/index.js';

// `npm run verify -- hostile` does the same with more values, and a bound of 20; here garbage of the whole suite is
// collected too.
const BOUND_MS = 1000;
const ATTEMPTS = 5;
const ADMIN_KEY = 'an admin key of a test with 32 bytes or more';

let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({ server: anyServer(), config: { adminKey: ADMIN_KEY } });
});
afterAll(() => test.close());

it('no long value in a header, a parameter, a field or a frame keeps the process busy', async () => {
  const openapi = JSON.parse(readFileSync('openapi.json', 'utf8'));
  const fields = { avatar_id: 'ada', request: 'Hello', chat_type: 'text', language_code: 'en' };
  const options = {
    token: await test.token('ann'),
    adminKey: ADMIN_KEY,
    sample: { user_id: 'ann', project_id: 'default', ...fields },
    each: 1,
  };
  const statuses = new Set<number>();
  const slow: string[] = [];
  const failed: string[] = [];
  let count = 0;
  for (const tried of hostileRequests(openapi, options)) {
    const { name } = tried;
    const inject = async (given: object) => {
      const { statusCode } = await test.app.inject(given);
      statuses.add(statusCode);
      if (statusCode === 500) failed.push(name);
    };
    const time = await extraTime(inject, tried, BOUND_MS, ATTEMPTS);
    if (time > BOUND_MS) slow.push(`${name}: ${time.toFixed(0)} ms`);
    count++;
  }
  expect(slow).toEqual([]);
  expect(count).toBeGreaterThan(400);
  expect([...statuses]).toEqual(expect.arrayContaining([200, 201, 400, 401, 404]));
  expect(failed).toEqual([]);
}, 120_000);
