import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import type { Clock } from '../platform/config/index.js';
import { type KeySet, ProviderError } from './oidc.provider.js';
import { loggerOf } from '../platform/logging/index.js';

/**
 * Minimum interval between two fetches, in milliseconds, so that tokens with made-up keys cannot make this service
 * flood a provider.
 */
const PAUSE_MS = 5000;
/** Age at which known keys are fetched again in the background, so that withdrawn ones expire. In milliseconds. */
const MAX_AGE_MS = 600_000;

/** The cached keys of one provider; fetched again for an unknown key. */
export class ProviderKeys {
  private static readonly logger = loggerOf('Identity');
  private keys?: JWTVerifyGetKey;
  private fetching?: Promise<void>;
  /** By the monotonic clock, in milliseconds. */
  private fetchedAt = -Infinity;
  private triedAt = -Infinity;
  private failed?: ProviderError;

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
      if (this.clock.monotonic() - this.fetchedAt >= MAX_AGE_MS) void this.refresh();
      return known;
    }
    await this.refresh();
    const found = await this.known(header, token);
    if (found) return found;
    throw this.failed ?? new errors.JWKSNoMatchingKey();
  };

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
