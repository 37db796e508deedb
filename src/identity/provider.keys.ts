import { hash } from 'node:crypto';
import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import type { IdentityEntry } from 'avatar-chat-catalogue';
import type { Clock } from '../platform/config/index.js';
import { type KeySet, ProviderError } from './oidc.provider.js';
import { loggerOf } from '../platform/logging/index.js';
import type { VerifiedIdentity } from './token-verifier.js';

/**
 * Minimum interval between two fetches, in milliseconds, so that tokens with made-up keys cannot make this service
 * flood a provider.
 */
const PAUSE_MS = 5000;
/** Age at which known keys are fetched again in the background, so that withdrawn ones expire. In milliseconds. */
const MAX_AGE_MS = 600_000;
/** Maximum number of cached tokens per provider, about 3 MB; the oldest is dropped first. */
const MAX_TOKENS = 10_000;

/** The cached keys of one provider, fetched again for an unknown key, and the tokens that they have verified. */
export class ProviderKeys {
  private static readonly logger = loggerOf('Identity');
  private keys?: JWTVerifyGetKey;
  private fetching?: Promise<void>;
  /** By the monotonic clock, in milliseconds. */
  private fetchedAt = -Infinity;
  private triedAt = -Infinity;
  private failed?: ProviderError;
  /** By the SHA-256 of the token. Dropped with the keys: a withdrawn key verifies nothing. */
  private tokens = new Map<string, { entry: IdentityEntry; identity: VerifiedIdentity }>();

  /** @param fetch gets the current keys, with a timeout */
  constructor(
    private readonly issuer: string,
    private readonly fetch: () => Promise<KeySet>,
    private readonly clock: Clock,
  ) {}

  /**
   * The key for a token's header.
   *
   * @throws ProviderError if the key is unknown and the provider is unavailable
   * @throws JOSEError if the provider has no such key
   */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    const known = await this.known(header, token);
    if (known) {
      this.refreshIfOld();
      return known;
    }
    await this.refresh();
    const found = await this.known(header, token);
    if (found) return found;
    throw this.failed ?? new errors.JWKSNoMatchingKey();
  };

  /**
   * Verifies a token once with these keys for an entry of the catalogue: clients send the same one with each request.
   *
   * @param verify throws for an invalid token, which is not cached
   */
  async verifyOnce(
    token: string,
    entry: IdentityEntry,
    verify: () => Promise<VerifiedIdentity>,
  ): Promise<VerifiedIdentity> {
    // Taken before: keys that are replaced in the meantime must not vouch for what they no longer verify.
    const { tokens } = this;
    const name = hash('sha256', token);
    const known = tokens.get(name);
    if (known?.entry === entry) {
      this.refreshIfOld();
      return known.identity;
    }
    const identity = await verify();
    if (tokens.size >= MAX_TOKENS) tokens.delete(tokens.keys().next().value!);
    tokens.set(name, { entry, identity });
    return identity;
  }

  private refreshIfOld(): void {
    if (this.clock.monotonic() - this.fetchedAt >= MAX_AGE_MS) void this.refresh();
  }

  private async known(...of: Parameters<JWTVerifyGetKey>): Promise<Awaited<ReturnType<JWTVerifyGetKey>> | undefined> {
    try {
      return await this.keys?.(...of);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey) return undefined;
      throw error;
    }
  }

  /** Concurrent callers share one fetch. If it fails, the cached keys stay. */
  private refresh(): Promise<void> {
    const now = this.clock.monotonic();
    if (this.fetching || now - this.triedAt < PAUSE_MS) return this.fetching ?? Promise.resolve();
    this.triedAt = now;
    return (this.fetching = this.load().finally(() => (this.fetching = undefined)));
  }

  private async load(): Promise<void> {
    try {
      this.keys = createLocalJWKSet((await this.fetch()) as never);
      this.tokens = new Map();
      this.fetchedAt = this.clock.monotonic();
      if (this.failed) ProviderKeys.logger.log(`The keys of ${this.issuer} are available again`);
      this.failed = undefined;
    } catch (error) {
      const failure = error instanceof ProviderError ? error : new ProviderError('its key set is malformed');
      if (this.failed?.message !== failure.message)
        ProviderKeys.logger.warn(`The keys of ${this.issuer} are not available: ${failure.message}`);
      this.failed = failure;
    }
  }
}
