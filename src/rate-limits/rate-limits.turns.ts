import { Injectable } from '@nestjs/common';
import { normalizeIp } from '@nestjs/throttler';
import { CatalogueService } from '../catalogue/index.js';
import { Config } from '../platform/config/index.js';
import { LimitsStorage } from './rate-limits.storage.js';

/** Maximum length in characters. A trusted proxy may forward something that is not an address. */
const MAX_ADDRESS = 64;

/** Rate-limits turns that are not HTTP requests together with those that are. */
@Injectable()
export class TurnCounts {
  constructor(
    private readonly storage: LimitsStorage,
    private readonly config: Config,
    private readonly catalogue: CatalogueService,
  ) {}

  /**
   * @param address of the client, which is counted in open projects
   * @throws ServiceError `rate_limited`
   */
  async count(
    { project_id, user_id }: { readonly project_id: string; readonly user_id: string },
    address: string,
  ): Promise<void> {
    const { enabled, turns } = this.config.rateLimits;
    if (!enabled) return;
    await this.storage.assertBelow(`turns ${project_id}/${user_id}`, turns);
    if (this.isOpen(project_id)) await this.countOpen(address);
  }

  /**
   * Who takes a share of what users have in common: the user and, in open projects, the address, since anyone can have
   * any number of users there.
   */
  holdersOf(
    { project_id, user_id }: { readonly project_id: string; readonly user_id: string },
    address: string,
  ): readonly string[] {
    const user = `${project_id}/${user_id}`;
    return this.isOpen(project_id) ? [user, trackedAddress(address)] : [user];
  }

  /** In an open project anyone can have any number of users, so a limit per user is not enough. */
  async countOpen(address: string): Promise<void> {
    await this.storage.assertBelow(`open-turns ${trackedAddress(address)}`, this.config.rateLimits.openTurns);
  }

  private isOpen(project_id: string): boolean {
    return this.catalogue.knownProject(project_id)?.token_policy === 'open';
  }
}

/** A client with one IPv6 address usually has a whole /64. @param address undefined if the client is gone already */
export function trackedAddress(address: string | undefined): string {
  return normalizeIp(address ?? '').slice(0, MAX_ADDRESS);
}
