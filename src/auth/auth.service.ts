import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { DEFAULT_PROJECT } from 'avatar-chat-catalogue';
import { CatalogueService, validKeys } from '../catalogue/index.js';
import { Clock, Config } from '../platform/config/index.js';
import { failure, ServiceError } from '../platform/errors/index.js';
import { AUDIENCE, ISSUER, type TokenClaims } from './jwt.strategy.js';
import { Owner } from './owner.js';
import { TokenVerification } from './token.verification.js';

@Injectable()
export class AuthService {
  constructor(
    private readonly jwt: JwtService,
    private readonly tokens: TokenVerification,
    private readonly catalogue: CatalogueService,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /**
   * Issues a token for a user of a project. The project must exist; if its policy is `verified`, the user hash must be
   * valid.
   *
   * @throws ServiceError `project_not_found`, `tokens_closed`, `invalid_user_hash`, `token_generation_failed`
   */
  async issue(user_id: string, project_id: string = DEFAULT_PROJECT, user_hash?: unknown): Promise<string> {
    try {
      const project = await this.catalogue.findProject(project_id);
      if (!project) throw failure('project_not_found');
      if (project.token_policy === 'closed') throw failure('tokens_closed');
      if (
        project.token_policy === 'verified' &&
        !isUserHashValid(validKeys(project, this.clock.now()), user_id, user_hash)
      )
        throw failure('invalid_user_hash');
      return this.sign(new Owner(project_id, user_id));
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      throw Object.assign(failure('token_generation_failed'), { cause: error });
    }
  }

  /**
   * The owner of a token, for modules that get tokens by other means than a request.
   *
   * @param token as clients send it after `Bearer `: one of this service, or of a project's identity provider
   * @throws ServiceError `invalid_token`, `token_expired` (403), `project_not_found`, `service_unavailable`
   */
  verify(token: string): Promise<Owner> {
    return this.tokens.verify(token);
  }

  /**
   * Issues a token for an owner who has already been verified. It carries the project's epoch if the project is cached,
   * as it is after {@link CatalogueService.findProject}; otherwise it is valid for any project of that name.
   */
  sign({ project_id, user_id }: Owner): string {
    const iat = Math.floor(this.clock.now() / 1000);
    const claims: TokenClaims = {
      iss: ISSUER,
      aud: AUDIENCE,
      sub: user_id,
      project: project_id,
      epoch: this.catalogue.knownProject(project_id)?.epoch,
      iat,
      exp: iat + this.config.jwtTtlSeconds,
      jti: randomUUID(),
    };
    // Not signAsync: it creates a stream, at three times the cost.
    return this.jwt.sign(claims);
  }
}

/** @param keys candidates; any of them may have signed the token */
function isUserHashValid(keys: readonly string[], user_id: string, user_hash: unknown): boolean {
  if (typeof user_hash !== 'string' || !/^[0-9a-f]{64}$/i.test(user_hash)) return false;
  const given = Buffer.from(user_hash, 'hex');
  return keys.some((key) => timingSafeEqual(createHmac('sha256', key).update(user_id).digest(), given));
}
