/** Forged tokens, each with the expected response of a protected route; for the suite and `npm run verify -- tokens`. */
import { createHmac } from 'node:crypto';
import fc from 'fast-check';

const DAY = 86_400;
/** How far ahead of the service's clock a token may be issued, in seconds. */
const AHEAD = 60;
const encode = (value) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** A JWT with this header and these claims (values, or their text), valid except for its signature. */
export function sign(header, claims, secret, algorithm = 'sha256') {
  const input = `${encode(header)}.${encode(claims)}`;
  return `${input}.${createHmac(algorithm, secret).update(input).digest('base64url')}`;
}

/** The header and the claims of a token. */
export function partsOf(token) {
  const [header, claims] = token.split('.').map((part) => Buffer.from(part, 'base64url').toString());
  return { header: JSON.parse(header), claims: JSON.parse(claims) };
}

/** The same token of two days ago. */
export function expiredTwin(token, secret) {
  const { header, claims } = partsOf(token);
  return sign(header, { ...claims, iat: claims.iat - 2 * DAY, exp: claims.exp - 2 * DAY }, secret);
}

const edit = fc.record({
  how: fc.constantFrom('replace', 'insert', 'delete', 'swap', 'cut', 'double'),
  place: fc.double({ min: 0, max: 0.9999, noNaN: true }),
  character: fc.constantFrom(...'ABCZaz019-_.=+/ %~'),
});

function apply(text, { how, place, character }) {
  const at = Math.floor(place * text.length);
  const [before, one, after] = [text.slice(0, at), text[at] ?? '', text.slice(at + 1)];
  if (how === 'replace') return before + character + after;
  if (how === 'insert') return before + character + one + after;
  if (how === 'delete') return before + after;
  if (how === 'swap') return before + after.slice(0, 1) + one + after.slice(1);
  return how === 'cut' ? before : text + text.slice(at);
}

/** A valid token with a changed text: always invalid, and never expired. */
export function editedTokens(token) {
  return fc
    .array(edit, { minLength: 1, maxLength: 4 })
    .map((edits) => edits.reduce(apply, token))
    .filter((edited) => edited.trim() !== token)
    .map((edited) => ({ token: edited, expected: /\S/.test(edited) ? 'invalid_token' : 'missing_token' }));
}

/** A value that is valid for a claim or, one time in twenty, one that is not. */
const either = (good, ...bad) =>
  fc.oneof(
    { weight: 19, arbitrary: fc.constantFrom(...good).map((value) => ({ value, good: true })) },
    { weight: 1, arbitrary: fc.constantFrom(...bad).map((value) => ({ value, good: false })) },
  );
const nothings = [undefined, null, '', 0, -1, true, [], {}];

/**
 * Signed tokens with any claims and ages.
 *
 * @param token a valid one, of the project `default`
 * @param secret that it was signed with
 * @param now Unix time in seconds
 * @param blur seconds for which `now` has to hold: no token starts or expires within them
 */
export function signedTokens(token, secret, now, blur = 0) {
  const { header, claims } = partsOf(token);
  const fields = fc.record({
    iss: either(['avatar-chat'], 'Avatar-chat', ['avatar-chat'], ...nothings),
    aud: either(['avatar-chat'], 'other', ['avatar-chat'], ...nothings),
    sub: either(['ann', 'a', '_-9', 'x'.repeat(128)], 'a b', 'é', 'ann\n', 'x'.repeat(129), ['ann'], ...nothings),
    project: either(['default', 'gone'], 'a_b', 'x'.repeat(65), 'default\n', ['default'], ...nothings),
    epoch: either([claims.epoch, claims.epoch, undefined], 'other', '', null, 7, [claims.epoch]),
    jti: either(['id', '', 'x'.repeat(100)], undefined, null, 7, {}, []),
    nbf: either([undefined, now - 5], now + 10 * DAY, 'now', {}),
    other: either([undefined, 'x', null, { $ne: 1 }, 'x'.repeat(500)], 'x'.repeat(4000)),
  });
  const head = fc.record({
    alg: either(['HS256'], 'none', 'HS384', 'RS256', 'hs256', undefined, null, ['HS256']),
    typ: fc.constantFrom('JWT', undefined, 'at+jwt').map((value) => ({ value, good: true })),
    kid: either([header.kid, undefined], 'other', null, 7, [header.kid]),
    crit: either([undefined], [], ['exp']),
    b64: either([undefined], true, false),
  });
  const times = fc.record({
    age: fc.oneof(
      fc.integer({ min: -AHEAD - blur - 5, max: 3 * DAY }),
      fc.integer({ min: -2, max: 2 }),
      fc.integer({ min: -AHEAD, max: -1 }),
      fc.integer({ min: -AHEAD - blur - 100, max: -AHEAD - blur - 1 }),
      fc.double({ min: -2, max: 2 * DAY, noNaN: true }),
    ),
    life: fc.oneof(fc.integer({ min: 1, max: DAY }), fc.integer({ min: DAY - 2, max: DAY + 5 }), fc.constant(-1)),
    exp: either([undefined], null, '9999999999', 1e300, [], 'never'),
    iat: either([undefined], null, String(now - 5), -1e300, [], 'always'),
  });
  const key = either([[secret, 'sha256']], [`${secret}x`, 'sha256'], [secret, 'sha512']);
  return fc
    .record({ fields, head, times, key })
    .map(({ fields, head, times: { age, life, exp, iat }, key }) => {
      const begins = now - age;
      const ends = begins + life;
      const forged = sign(
        valuesOf(head),
        { ...valuesOf(fields), iat: iat.good ? begins : iat.value, exp: exp.good ? ends : exp.value },
        ...key.value,
      );
      const { epoch, ...others } = fields;
      // A missing project has no known epoch.
      const isOfEpoch = epoch.good || (fields.project.value === 'gone' && typeof epoch.value === 'string');
      const good =
        isOfEpoch && [...Object.values(others), ...Object.values(head), exp, iat, key].every((part) => part.good);
      const lives = begins <= now + AHEAD && begins < ends && ends - begins <= DAY;
      const expected =
        !good || !lives
          ? 'invalid_token'
          : ends <= now
            ? 'token_expired'
            : fields.project.value === 'gone'
              ? 'project_not_found'
              : 'accepted';
      const isClearOf = (time, limit) => time <= limit || time > limit + blur;
      const clear = isClearOf(begins, now + AHEAD) && isClearOf(ends, now);
      return { token: forged, expected, clear };
    })
    .filter(({ clear }) => clear);
}

function valuesOf(parts) {
  return Object.fromEntries(Object.entries(parts).map(([name, { value }]) => [name, value]));
}

/**
 * The service's verdict on a token: `accepted`, or the code of its rejection, where only `token_expired` is a 403. The
 * request is for another user's history, which is refused without a query, but only with a valid token.
 */
export const PROBE = '/chat?user_id=nobody-of-the-tokens';
export function verdict(status, error) {
  if (status === 404 && error === 'user_not_found') return 'accepted';
  if ((status === 403) !== (error === 'token_expired') || ![401, 403].includes(status)) return `${status} ${error}`;
  return error;
}
