import type { Owner } from './owner.js';

/** Maximum number of cached tokens, about 5 MB; the oldest is dropped first. */
const CAPACITY = 10_000;
/** Characters of the longest cached `Authorization` header; ours are shorter. */
const LONGEST = 1024;

export interface VerifiedToken {
  owner: Owner;
  epoch?: string;
  /** Unix time in seconds. */
  exp: number;
}

/**
 * Caches the owners of verified tokens by their `Authorization` header until they expire, since a client sends the same
 * header all day. It only caches successes; rejections always come from the strategy.
 */
export class VerifiedTokens {
  private readonly tokens = new Map<string, VerifiedToken>();

  remember(authorization: string, token: VerifiedToken): void {
    if (authorization.length > LONGEST) return;
    if (this.tokens.size >= CAPACITY) this.tokens.delete(this.tokens.keys().next().value!);
    this.tokens.set(authorization, token);
  }

  /** @param now Unix time in seconds */
  recall(authorization: string, now: number): VerifiedToken | undefined {
    const verified = this.tokens.get(authorization);
    if (!verified) return undefined;
    if (verified.exp > now) return verified;
    this.tokens.delete(authorization);
    return undefined;
  }
}
