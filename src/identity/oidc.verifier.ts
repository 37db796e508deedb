import { Injectable } from '@nestjs/common';
import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import type { IdentityEntry } from 'avatar-chat-catalogue';
import { OutgoingHttp } from 'avatar-chat-runtime';
import { Clock, Config } from '../platform/config/index.js';
import { failure } from '../platform/errors/index.js';
import { describeError, loggerOf } from '../platform/logging/index.js';
import { ALGORITHMS, type OidcEntry, oidcFaults } from './oidc.entry.js';
import { fetchKeys, ProviderError } from './oidc.provider.js';
import type { ProviderKeys } from './provider.keys.js';
import { TokenVerifier, type VerifiedIdentity } from './token-verifier.js';

/** How far ahead a provider's clock may be, for `iat` and `nbf`. `exp` has no such leeway. */
const CLOCK_AHEAD_SECONDS = 60;
/** The year 5138, in Unix seconds. */
const LATEST = 1e11;
/** A provider's other tokens, such as logout tokens, have a `typ` of their own. */
const TYPES = [undefined, 'jwt', 'at+jwt', 'application/jwt', 'application/at+jwt'];

/** Verifies ID tokens, and access tokens that are JWTs, of OpenID providers. */
@Injectable()
export class OidcVerifier extends TokenVerifier {
  readonly kind = 'oidc';
  private readonly logger = loggerOf('Identity');
  /** By issuer and URL of the keys: at most as many as the catalogue names. */
  private readonly providers = new Map<string, ProviderKeys>();

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly http: OutgoingHttp,
  ) {
    super();
  }

  validate(entry: IdentityEntry): string[] {
    return oidcFaults(entry, this.config);
  }

  async verify(token: string, given: IdentityEntry): Promise<VerifiedIdentity> {
    const entry = given as OidcEntry;
    const { errors, jwtVerify, ProviderKeys } = await this.load();
    const { issuer, audience, algorithms = ALGORITHMS } = entry;
    try {
      const keys = this.keysOf(entry, ProviderKeys);
      const keyOf: JWTVerifyGetKey = (header, jws) => {
        if (!TYPES.includes(header.typ?.toLowerCase())) throw failure('invalid_token');
        return keys.find(header, jws);
      };
      const options = {
        issuer,
        audience,
        algorithms: [...algorithms],
        requiredClaims: ['exp', 'iat', 'sub'],
        currentDate: new Date(this.clock.now()),
        clockTolerance: CLOCK_AHEAD_SECONDS,
      };
      return await keys.verifyOnce(token, entry, async () =>
        this.identityOf((await jwtVerify(token, keyOf, options)).payload, entry),
      );
    } catch (error) {
      // Thrown only for the expiry, after everything else about the token has been verified. The leeway also delays it;
      // the caller refuses what has expired.
      if (error instanceof errors.JWTExpired) return this.identityOf(error.payload, entry);
      throw failure(error instanceof ProviderError ? 'service_unavailable' : 'invalid_token');
    }
  }

  private identityOf(claims: JWTPayload, { claims: { user_id: name = 'sub' } = {} }: OidcEntry): VerifiedIdentity {
    const { iat, exp, sub } = claims;
    const subject = Object.hasOwn(claims, name) ? claims[name] : undefined;
    const now = Math.floor(this.clock.now() / 1000);
    if (typeof sub !== 'string' || typeof subject !== 'string' || subject === '') throw failure('invalid_token');
    if (typeof iat !== 'number' || !(iat >= 0 && iat <= now + CLOCK_AHEAD_SECONDS)) throw failure('invalid_token');
    if (typeof exp !== 'number' || !(exp > iat && exp < LATEST)) throw failure('invalid_token');
    return { user_id: subject, expires_at: exp };
  }

  /**
   * Loaded lazily: most services have no provider, and startup should not wait for it.
   *
   * @throws ServiceError `service_unavailable` if a file is missing or damaged, which says nothing about the token
   */
  private async load() {
    try {
      const [{ errors, jwtVerify }, { ProviderKeys }] = await Promise.all([
        import('jose'),
        import('./provider.keys.js'),
      ]);
      return { errors, jwtVerify, ProviderKeys };
    } catch (error) {
      this.logger.error(describeError(error));
      throw failure('service_unavailable');
    }
  }

  private keysOf(entry: OidcEntry, Keys: typeof ProviderKeys): ProviderKeys {
    const name = JSON.stringify([entry.issuer, entry.jwks_uri]);
    const keys = this.providers.get(name) ?? new Keys(entry.issuer, () => fetchKeys(this.http, entry), this.clock);
    this.providers.set(name, keys);
    return keys;
  }
}
