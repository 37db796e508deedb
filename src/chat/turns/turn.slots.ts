import { Injectable } from '@nestjs/common';
import { FairShare } from 'avatar-chat-runtime';
import { Config } from '../../platform/config/index.js';
import { failure } from '../../platform/errors/index.js';
import { limitReached } from '../../platform/limits/index.js';

/** Maximum number of turns in progress per process. */
export const TURN_SLOTS = 1000;
/** Maximum number of turns in progress per user, if rate limits are on. */
export const USER_TURN_SLOTS = 10;

/** Limits the number of turns in progress, so that neither many users nor a single one overload the engines. */
@Injectable()
export class TurnSlots {
  private readonly share = new FairShare(TURN_SLOTS);

  constructor(private readonly config: Config) {}

  /** Turns in progress. */
  get size(): number {
    return this.share.size;
  }

  /**
   * Takes a slot, if need be from whoever has most.
   *
   * @param holders the user, then possibly the address
   * @param giveWay called if others need it more
   * @returns a function that releases the slot
   * @throws ServiceError `rate_limited` if the user has too many, `service_unavailable` if there are too many in all
   */
  acquire(holders: readonly string[], giveWay: () => void): () => void {
    if (this.config.rateLimits.enabled && this.share.sizeOf(holders[0]!) >= USER_TURN_SLOTS)
      throw limitReached('turns_at_a_time', 1);
    const release = this.share.acquire(holders, giveWay);
    if (!release) throw failure('service_unavailable');
    return release;
  }
}
