import type { Owner } from './owner.js';

/** How many are remembered, the newest; about 5 MB. */
const CAPACITY = 10_000;
/** Characters of an `Authorization` header that is remembered; ours have fewer. */
const LONGEST = 1024;

export interface VerifiedToken {
  owner: Owner;
  epoch?: string;
  /** Unix time in seconds. */
  exp: number;
}

/**
 * Whose the tokens are that have been verified, by the `Authorization` header that they came in, until they expire: a
 * client sends the same one with each request of a day. It only ever says yes; all refusals are the strategy's.
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
