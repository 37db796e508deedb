import { createHmac } from 'node:crypto';
import type { Config } from '../platform/config/index.js';
import { TokenKeys } from './token.keys.js';

const SECRET = 'a secret of a test with 32 bytes or more';
const FORMER = 'a former secret of 32 bytes or more, no longer signing';
const someKeys = () => new TokenKeys({ jwtSecret: SECRET, jwtPreviousSecrets: [FORMER] } as unknown as Config);
const sign = (secret: string) => `a.b.${createHmac('sha256', secret).update('a.b').digest('base64url')}`;
const secretOf = (key: ReturnType<TokenKeys['find']>) => key?.export().toString();

describe('the keys of tokens', () => {
  it('have the same kid in every process and release', () => {
    expect(someKeys().signing.kid).toBe('q-mxwY_Saqp3QjvO');
  });

  it('are found by the kid, whatever the signature', () => {
    const keys = someKeys();
    expect(secretOf(keys.find('a.b.c', keys.signing.kid))).toBe(SECRET);
    expect(keys.find(sign(SECRET), 'another')).toBeUndefined();
    expect(keys.find(sign(SECRET), null)).toBeUndefined();
  });

  it('are found by the signature if there is no kid', () => {
    const keys = someKeys();
    expect(secretOf(keys.find(sign(SECRET), undefined))).toBe(SECRET);
    expect(secretOf(keys.find(sign(FORMER), undefined))).toBe(FORMER);
    expect(keys.find(sign('another'), undefined)).toBeUndefined();
    expect(keys.find('a.b.AA', undefined)).toBeUndefined();
  });
});
