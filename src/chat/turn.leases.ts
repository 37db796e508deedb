import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Owner } from '../auth/index.js';
import { Clock } from '../platform/config/index.js';
import { failure } from '../platform/errors/index.js';
import { type MessageDocument, MessageRepository } from '../messages/index.js';
import { type BegunTurn, interruptionError, type TurnLimit } from './turn.answer.js';

/**
 * How long the lease of a process that asks the avatar lasts without renewal, in milliseconds. Other processes measure
 * this by their own clocks, which may differ.
 */
export const LEASE_MS = 3000;
const LEASE_RENEWAL_MS = 1000;
/** How often a repeated request checks whether the first one has the answer, in milliseconds. */
const ANSWER_POLL_MS = 100;

/** Leases of turns with an idempotency key: of several requests with the same key, one asks the avatar. */
@Injectable()
export class TurnLeases {
  constructor(
    private readonly messages: MessageRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Waits while another request with the same key asks the avatar, as long as its lease keeps changing; independent of
   * clock differences.
   *
   * @returns the answer, or null if this request has to ask
   */
  async awaitAnswer({ owner, outgoing }: BegunTurn, limit: TurnLimit): Promise<MessageDocument | null> {
    let seen: number | undefined;
    let seenSince = performance.now();
    for (;;) {
      const answered = await this.messages.findAnswer(owner, outgoing._id);
      if (answered) return answered;
      const asked = await this.messages.find(owner, outgoing._id);
      if (!asked) throw failure('user_erased');
      const lease = asked.lease_until ?? 0;
      if (lease !== seen) seenSince = performance.now();
      seen = lease;
      const isOver = lease === 0 || performance.now() - seenSince >= LEASE_MS;
      if (isOver && (await this.messages.acquire(owner, outgoing._id, lease, this.nextLease(lease)))) return null;
      await delay(ANSWER_POLL_MS);
      if (limit.reason) throw interruptionError(limit.reason);
    }
  }

  /** Renews the lease while asking; without a key, no other request would ask. */
  hold(owner: Owner, { _id, idempotency_key }: MessageDocument): { stop(): void; release(): Promise<void> } {
    if (idempotency_key === undefined) return { stop: () => undefined, release: async () => undefined };
    const renew = (until: number) => this.messages.renew(owner, _id, until).catch(() => undefined);
    let last = 0;
    const timer = setInterval(() => void renew((last = this.nextLease(last))), LEASE_RENEWAL_MS);
    const stop = () => clearInterval(timer);
    return {
      stop,
      release: async () => {
        stop();
        await renew(0);
      },
    };
  }

  /** Always different from the previous value, whatever the clock does: a lease that changes is held. */
  private nextLease(last: number): number {
    return Math.max(this.clock.now() + LEASE_MS, last + 1);
  }
}
