import { Injectable } from '@nestjs/common';
import { faultsAt, type Project } from 'avatar-chat-catalogue';
import { CatalogueService } from '../catalogue/index.js';
import { Clock } from '../platform/config/index.js';
import { failure, ServiceError } from '../platform/errors/index.js';
import { withTimeout } from 'avatar-chat-runtime';
import { userIdOf } from './subject.js';
import type { VerifiedIdentity } from './token-verifier.js';
import { VerifierRegistry } from './verifier.registry.js';

/** Timeout of a verifier, in milliseconds. */
const VERIFY_LIMIT_MS = 2900;
/** Larger times are in milliseconds, not in seconds. */
const LATEST_SECONDS = 1e11;

/** The owner of a provider's token; `expires_at` is Unix time in seconds. */
export interface ProjectIdentity extends VerifiedIdentity {
  readonly project_id: string;
}

/** Verifies tokens of identity providers for the projects that accept them. */
@Injectable()
export class IdentityService {
  constructor(
    private readonly catalogue: CatalogueService,
    private readonly verifiers: VerifierRegistry,
    private readonly clock: Clock,
  ) {
    catalogue.addCheck(({ projects }) =>
      projects.flatMap(({ identity }, index) =>
        faultsAt(`projects[${index}].identity`, identity ? verifiers.validate(identity) : []),
      ),
    );
  }

  /**
   * The owner of a token.
   *
   * @param projects candidates; if several accept the token, it belongs to the first of them
   * @throws ServiceError `token_expired`, `service_unavailable`, `project_not_found`, `invalid_token`
   */
  async verify(token: string, projects: readonly Project[]): Promise<ProjectIdentity> {
    // All at once: a provider that does not answer delays no other.
    const outcomes = projects.map((project) =>
      this.verifyFor(project, token).catch((error: unknown) => (isRefusal(error) ? error : failure('invalid_token'))),
    );
    const refusals: ServiceError[] = [];
    for (const outcome of outcomes) {
      const found = await outcome;
      if (!(found instanceof ServiceError)) return found;
      refusals.push(found);
    }
    // Reports the most specific failure.
    throw refusals.sort((one, other) => other.status - one.status)[0] ?? failure('invalid_token');
  }

  private async verifyFor({ project_id, identity }: Project, token: string): Promise<ProjectIdentity> {
    const verifier = this.verifiers.find(identity!.kind);
    if (!verifier) throw failure('invalid_token');
    const { user_id, expires_at } = await withTimeout(verifier.verify(token, identity!), VERIFY_LIMIT_MS, () =>
      failure('service_unavailable'),
    );
    if (typeof user_id !== 'string' || user_id === '' || !Number.isFinite(expires_at)) throw failure('invalid_token');
    const seconds = expires_at > LATEST_SECONDS ? expires_at / 1000 : expires_at;
    if (seconds <= Math.floor(this.clock.now() / 1000)) throw failure('token_expired');
    // The project may have been removed meanwhile.
    if (!this.catalogue.knownProject(project_id)) throw failure('project_not_found');
    return { project_id, user_id: userIdOf(user_id), expires_at: seconds };
  }
}

/** Error codes that a verifier may throw; any other error means that the token is invalid. */
function isRefusal(error: unknown): error is ServiceError {
  return (
    error instanceof ServiceError && (error.status === 401 || error.status === 503 || error.code === 'token_expired')
  );
}
