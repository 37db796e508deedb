import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { editedTokens, expiredTwin, PROBE, signedTokens, verdict } from '../support/forged-tokens.mjs';
import { anyServer, createTestApp, type TestApp } from '../support/index.js';

// `npm run verify -- tokens` does the same with more: in CI, with 10,000.
const RUNS = { numRuns: 500 };

let test: TestApp;
let token: string;
let expired: string;

beforeAll(async () => {
  test = await createTestApp({ server: anyServer() });
  token = await test.token('ann');
  expired = expiredTwin(token, test.config.jwtSecret);
});
afterAll(() => test.close());

const ask = async (token: string) => {
  await setImmediate(); // Requests that never wait would starve the database's heartbeats.
  const { status, body } = await test.call({ path: PROBE, headers: { authorization: `Bearer ${token}` } });
  return verdict(status, body.error);
};

describe('403 means a token that is valid in every way but expired, and nothing else', () => {
  it("for any mutation of a token's text", async () => {
    expect([await ask(token), await ask(expired)]).toEqual(['accepted', 'token_expired']);
    await fc.assert(
      fc.asyncProperty(fc.oneof(editedTokens(token), editedTokens(expired)), async ({ token, expected }) => {
        expect(await ask(token)).toBe(expected);
      }),
      RUNS,
    );
  });

  it('for any claims of a signed token', async () => {
    const now = Math.floor(test.clock.now() / 1000);
    await fc.assert(
      fc.asyncProperty(signedTokens(token, test.config.jwtSecret, now), async ({ token, expected }) => {
        expect(await ask(token)).toBe(expected);
      }),
      RUNS,
    );
  });
});
