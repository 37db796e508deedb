import { randomUUID } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import passport from 'passport';
import { Strategy, type StrategyOptionsWithRequest } from 'passport-jwt';
import { type Project, PROJECT_ID } from 'avatar-chat-catalogue';
import { CatalogueService } from '../catalogue/index.js';
import { Clock, Config } from '../platform/config/index.js';
import { failure } from '../platform/errors/index.js';
import { Owner, USER_ID } from './owner.js';
import { bearerToken, tokenHeader } from './token.format.js';
import { TokenKeys } from './token.keys.js';
import { isWithdrawn, type TokenBasis } from './token.validity.js';
import { VerifiedTokens } from './verified-tokens.js';

export const ISSUER = 'avatar-chat';
export const AUDIENCE = 'avatar-chat';

/** How far ahead the clock of the issuing process may be, for `iat` and `nbf`. `exp` has no such leeway. */
const CLOCK_AHEAD_SECONDS = 60;

/** Claims of a token. `iat` and `exp` are Unix time in seconds. */
export interface TokenClaims {
  iss: string;
  aud: string;
  /** The user_id. */
  sub: string;
  project: string;
  /** The project's epoch; tokens of earlier releases have none. */
  epoch?: string;
  /** In client secrets, what the provider's token of the caller depended on. */
  identity?: string;
  iat: number;
  /** Only in tokens that others have signed with the service's secret. */
  nbf?: number;
  exp: number;
  jti: string;
}

type UnverifiedClaims = Partial<Record<keyof TokenClaims, unknown>>;

/** Passport's JWT strategy: maps an `Authorization` header to the {@link Owner} that controllers get. */
@Injectable()
export class JwtStrategy extends PassportStrategy(Strategy) implements OnApplicationShutdown {
  /** Passport registers strategies by name per process; each application needs its own. */
  readonly strategy = `jwt-${randomUUID()}`;
  private readonly verified = new VerifiedTokens();

  constructor(
    keys: TokenKeys,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly catalogue: CatalogueService,
  ) {
    super({
      jwtFromRequest: (request: unknown) => {
        const { authorization } = (request as FastifyRequest).headers;
        const token = bearerToken(authorization);
        if (token === undefined) throw failure(authorization ? 'missing_bearer' : 'missing_token');
        return tokenHeader(token) ? token : null;
      },
      secretOrKeyProvider: (_request: unknown, token: string, done: (error: unknown, key?: unknown) => void) => {
        const key = keys.find(token, tokenHeader(token)?.kid);
        done(key ? null : failure('invalid_token'), key);
      },
      algorithms: ['HS256'],
      issuer: ISSUER,
      audience: AUDIENCE,
      // The library checks the time first; here a token only counts as expired if everything else is valid.
      ignoreExpiration: true,
      // It would compare `nbf` with the system's clock, without leeway.
      jsonWebTokenOptions: { ignoreNotBefore: true },
      passReqToCallback: true,
    } as unknown as StrategyOptionsWithRequest);
    passport.use(this.strategy, this as never);
  }

  /** @internal */
  onApplicationShutdown(): void {
    passport.unuse(this.strategy);
  }

  /**
   * The owner of a token of ours that did not come with a request; the same check as Passport's middleware.
   *
   * @throws ServiceError `invalid_token`, `token_expired`, `project_not_found`
   */
  async verify(token: string): Promise<Owner> {
    const request = { headers: { authorization: `Bearer ${token}` } } as FastifyRequest;
    return (
      this.recall(request) ??
      new Promise((resolve, reject) => {
        const fail = () => reject(failure('invalid_token'));
        Object.assign(Object.create(this) as Strategy, { success: resolve, fail, error: reject }).authenticate(
          request as never,
        );
      })
    );
  }

  /** @internal Called by Passport with the claims of a token whose signature, issuer and audience are valid. */
  async validate(request: FastifyRequest, claims: UnverifiedClaims): Promise<Owner> {
    const owner = await this.ownerOf(claims);
    const { epoch, exp } = claims as TokenClaims;
    this.verified.remember(request.headers.authorization!, { owner, epoch, exp });
    return owner;
  }

  /**
   * The owner of a token whose signature, issuer and audience are valid.
   *
   * @throws ServiceError `invalid_token`, `token_expired`, `project_not_found`
   */
  async ownerOf(claims: UnverifiedClaims): Promise<Owner> {
    const now = this.now();
    const { sub, project: project_id, epoch, identity, iat, nbf = 0, exp, jti, aud } = claims;
    if (typeof sub !== 'string' || !USER_ID.test(sub)) throw failure('invalid_token');
    if (typeof project_id !== 'string' || !PROJECT_ID.test(project_id)) throw failure('invalid_token');
    if (!isTextIfGiven(epoch) || !isTextIfGiven(identity)) throw failure('invalid_token');
    const basis = { epoch, identity };
    if (typeof jti !== 'string' || typeof aud !== 'string') throw failure('invalid_token');
    if (!isFiniteNumber(iat) || iat > now + CLOCK_AHEAD_SECONDS || iat < 0) throw failure('invalid_token');
    if (!isFiniteNumber(nbf) || nbf > now + CLOCK_AHEAD_SECONDS) throw failure('invalid_token');
    if (!isFiniteNumber(exp) || exp <= iat || exp - iat > this.config.jwtTtlSeconds) throw failure('invalid_token');
    const isExpired = exp <= now;
    const project = isExpired ? this.catalogue.knownProject(project_id) : await this.findProject(project_id, basis);
    if (project && isWithdrawn(basis, project)) throw failure('invalid_token');
    if (isExpired) throw failure('token_expired');
    if (!project) throw failure('project_not_found');
    return new Owner(project_id, sub);
  }

  /** An unknown epoch, or provider, may belong to a project that another process has just added again. */
  private async findProject(project_id: string, basis: TokenBasis): Promise<Project | undefined> {
    const project = await this.catalogue.findProject(project_id);
    if (!project || !isWithdrawn(basis, project)) return project;
    await this.catalogue.refresh();
    return this.catalogue.knownProject(project_id);
  }

  /** The owner of the request, if its token has been verified before and is still valid. */
  recall({ headers: { authorization } }: FastifyRequest): Owner | undefined {
    const token = authorization === undefined ? undefined : this.verified.recall(authorization, this.now());
    const project = token && this.catalogue.knownProject(token.owner.project_id);
    return project && !isWithdrawn(token, project) ? token.owner : undefined;
  }

  /** Unix time in seconds. */
  private now(): number {
    return Math.floor(this.clock.now() / 1000);
  }
}

function isTextIfGiven(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}

function isFiniteNumber(value: unknown): value is number {
  return Number.isFinite(value);
}
