import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { anyServer, createTestApp, type TestApp } from '../support/index.js';

type Json = Record<string, unknown>;

const DAY = 86_400;
let test: TestApp;
let header: Json;
let claims: Json;
let expired: string;

beforeAll(async () => {
  test = await createTestApp({ server: anyServer() });
  const token = await test.token('ann');
  [header, claims] = token
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString())) as [Json, Json];
  expired = sign(header, { ...claims, iat: Number(claims.iat) - 2 * DAY, exp: Number(claims.exp) - 2 * DAY });
});
afterAll(() => test.close());

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const sign = (head: unknown, body: unknown) => {
  const input = `${encode(head)}.${encode(body)}`;
  return `${input}.${createHmac('sha256', test.config.jwtSecret).update(input).digest('base64url')}`;
};
const ask = async (token: string) => {
  const { status, body } = await test.call({ path: '/connection', headers: { authorization: `Bearer ${token}` } });
  return `${status} ${body.error ?? ''}`.trim();
};

/** An edit of a text at a place, by a character. */
const edit = fc.record({
  how: fc.constantFrom('replace', 'insert', 'delete', 'swap', 'cut', 'double'),
  place: fc.double({ min: 0, max: 0.9999, noNaN: true }),
  character: fc.constantFrom(...'ABCZaz019-_.=+/ %~'),
});
function apply(text: string, { how, place, character }: { how: string; place: number; character: string }): string {
  const at = Math.floor(place * text.length);
  const [before, one, after] = [text.slice(0, at), text[at] ?? '', text.slice(at + 1)];
  if (how === 'replace') return before + character + after;
  if (how === 'insert') return before + character + one + after;
  if (how === 'delete') return before + after;
  if (how === 'swap') return before + after.slice(0, 1) + one + after.slice(1);
  return how === 'cut' ? before : text + text.slice(at);
}

/** A claim as it should be, or as it should not. */
const either = (good: unknown, ...bad: unknown[]) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constant({ value: good, good: true }) },
    { weight: 1, arbitrary: fc.constantFrom(...bad.map((value) => ({ value, good: false }))) },
  );

describe('403 means a token that is valid in every way but expired, and nothing else', () => {
  it('whatever is done to the text of an expired one', async () => {
    expect(await ask(expired)).toBe('403 token_expired');
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 4 }), async (edits) => {
        const token = edits.reduce(apply, expired);
        fc.pre(token.trim() !== expired);
        expect(['401 invalid_token', '401 missing_token']).toContain(await ask(token));
      }),
      { numRuns: 2000 },
    );
  });

  it('whatever a signed one claims', async () => {
    const now = Number(claims.iat);
    const anything = [undefined, null, '', 0, 1, -1, true, [], {}, 'default'];
    const claimed = fc.record({
      iss: either('avatar-chat', 'other', ...anything),
      aud: either('avatar-chat', 'other', ['avatar-chat'], ...anything),
      sub: either('ann', 'a b', 'x'.repeat(129), undefined, null, '', 7, ['ann'], {}),
      project: either('default', 'a_b', undefined, null, '', 7, ['default'], {}),
      jti: either('id', undefined, null, 7, {}),
      alg: either('HS256', 'none', 'HS384', 'hs256', undefined),
      extra: either({}, { crit: [] }, { b64: true }),
    });
    const times = fc.record({
      age: fc.integer({ min: -5, max: 3 * DAY }),
      life: fc.integer({ min: -5, max: DAY + 5 }),
    });
    await fc.assert(
      fc.asyncProperty(claimed, times, async ({ alg, extra, ...rest }, { age, life }) => {
        const values = Object.fromEntries(Object.entries(rest).map(([name, { value }]) => [name, value]));
        const token = sign(
          { ...header, alg: alg.value, ...(extra.value as object) },
          { ...values, iat: now - age, exp: now - age + life },
        );
        const wellFormed = [alg, extra, ...Object.values(rest)].every(({ good }) => good);
        const wellTimed = age >= 0 && life > 0 && life <= DAY;
        const expected = !wellFormed || !wellTimed ? '401 invalid_token' : life <= age ? '403 token_expired' : '200';
        expect(await ask(token)).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });
});
