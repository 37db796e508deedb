import { Injectable } from '@nestjs/common';
import { type Owner, ownerKey } from '../auth/index.js';
import { Config } from '../platform/config/index.js';
import { Counts } from '../platform/counts/index.js';
import { failure } from '../platform/errors/index.js';

/** Turns that a process takes at a time. */
export const TURN_SLOTS = 1000;
/** Of those, the turns of one user, where rate limits are on. */
export const USER_TURN_SLOTS = 10;

/** How many turns are in progress, so that neither a crowd nor one user asks more of the engines than they can bear. */
@Injectable()
export class TurnSlots {
  private readonly taken = new Counts();
  private total = 0;

  constructor(private readonly config: Config) {}

  /** Turns in progress. */
  get size(): number {
    return this.total;
  }

  /**
   * @returns what gives the slot back
   * @throws ServiceError `rate_limited` where the user has too many, `service_unavailable` where all have together
   */
  take(owner: Owner): () => void {
    const user = ownerKey(owner);
    if (this.config.rateLimits.enabled && this.taken.get(user) >= USER_TURN_SLOTS) throw failure('rate_limited', 1);
    if (this.total >= TURN_SLOTS) throw failure('service_unavailable');
    this.taken.add(user, 1);
    this.total++;
    return () => {
      this.taken.add(user, -1);
      this.total--;
    };
  }
}
