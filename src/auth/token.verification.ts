import { Injectable } from '@nestjs/common';
import { CatalogueService } from '../catalogue/index.js';
import { IdentityService } from '../identity/index.js';
import { failure } from '../platform/errors/index.js';
import { ISSUER, JwtStrategy } from './jwt.strategy.js';
import { Owner } from './owner.js';
import { bearerToken, parseToken, TOKEN_LIMIT } from './token.format.js';
import { identityMark, rememberValidity, type TokenValidity } from './token.validity.js';

/** The owner of a token, and for how long it counts. */
interface TokenOwner {
  readonly owner: Owner;
  readonly validity: TokenValidity;
}

/**
 * Finds the owner of a token: for the service's own tokens by Passport's strategy, for others by the projects' identity
 * providers.
 */
@Injectable()
export class TokenVerification {
  constructor(
    private readonly strategy: JwtStrategy,
    private readonly identities: IdentityService,
    private readonly catalogue: CatalogueService,
  ) {}

  /** @throws ServiceError `invalid_token`, `token_expired`, `project_not_found`, `service_unavailable` */
  async verify(token: string): Promise<Owner> {
    if (typeof token !== 'string' || token.trim() === '') throw failure('invalid_token');
    const provided = await this.verifyProvided(token);
    return provided ? provided.owner : this.strategy.verify(token);
  }

  /**
   * The owner of a request with a provider's token; undefined if it has no such token, and Passport decides. Returns at
   * once if no project has a provider.
   */
  verifyRequest(request: { headers: { authorization?: string } }): Promise<Owner> | undefined {
    if (!this.catalogue.hasIdentities) return undefined;
    const token = bearerToken(request.headers.authorization);
    return token === undefined
      ? undefined
      : this.verifyProvided(token)?.then(({ owner, validity }) => {
          rememberValidity(request, validity);
          return owner;
        });
  }

  private verifyProvided(token: string): Promise<TokenOwner> | undefined {
    if (!this.catalogue.hasIdentities || token.length > TOKEN_LIMIT) return undefined;
    const claims = parseToken(token)?.claims;
    if (claims?.iss === ISSUER) return undefined;
    const projects = this.catalogue.projectsOfToken(claims);
    if (projects.length === 0) return undefined;
    return this.identities.verify(token, projects).then(({ project_id, user_id, expires_at }) => {
      // As it was when the token was verified.
      const project = projects.find((one) => one.project_id === project_id)!;
      return { owner: new Owner(project_id, user_id), validity: { expires_at, identity: identityMark(project) } };
    });
  }
}
