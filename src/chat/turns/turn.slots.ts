import { Injectable } from '@nestjs/common';
import { type Owner, ownerKey } from '../../auth/index.js';
import { Config } from '../../platform/config/index.js';
import { Counts } from 'avatar-chat-runtime';
import { failure } from '../../platform/errors/index.js';
import { limitReached } from '../../platform/limits/index.js';

/** Maximum number of turns in progress per process. */
export const TURN_SLOTS = 1000;
/** Maximum number of turns in progress per user, if rate limits are on. */
export const USER_TURN_SLOTS = 10;

/** Limits the number of turns in progress, so that neither many users nor a single one overload the engines. */
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
   * @returns a function that releases the slot
   * @throws ServiceError `rate_limited` if the user has too many, `service_unavailable` if there are too many in all
   */
  take(owner: Owner): () => void {
    const user = ownerKey(owner);
    if (this.config.rateLimits.enabled && this.taken.get(user) >= USER_TURN_SLOTS)
      throw limitReached('turns_at_a_time', 1);
    if (this.total >= TURN_SLOTS) throw failure('service_unavailable');
    this.taken.add(user, 1);
    this.total++;
    return () => {
      this.taken.add(user, -1);
      this.total--;
    };
  }
}
