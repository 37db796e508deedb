import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../platform/config/index.js';

/** A secret as a key object, created once: signing with a string creates one each time, at fifty times the cost. */
interface TokenKey {
  kid: string;
  key: KeyObject;
}

/** The signing key, and all verification keys by the `kid` of a token's header. */
@Injectable()
export class TokenKeys {
  readonly signing: TokenKey;
  private readonly all: readonly TokenKey[];

  constructor(config: Config) {
    this.signing = tokenKey(config.jwtSecret);
    this.all = [this.signing, ...config.jwtPreviousSecrets.map(tokenKey)];
  }

  /** The key for a token. Without a `kid`, the key that verifies its signature. */
  find(token: string, kid: unknown): KeyObject | undefined {
    if (kid !== undefined) return this.all.find((candidate) => candidate.kid === kid)?.key;
    const end = token.lastIndexOf('.');
    const signature = Buffer.from(token.slice(end + 1), 'base64url');
    return this.all.find(({ key }) => {
      const expected = createHmac('sha256', key).update(token.slice(0, end)).digest();
      return expected.length === signature.length && timingSafeEqual(expected, signature);
    })?.key;
  }
}

function tokenKey(secret: string): TokenKey {
  const key = createSecretKey(secret, 'utf8');
  return { key, kid: createHmac('sha256', key).update('kid').digest('base64url').slice(0, 16) };
}
