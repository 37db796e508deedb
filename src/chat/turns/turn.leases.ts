import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Owner } from '../../auth/index.js';
import { Clock } from '../../platform/config/index.js';
import { failure } from '../../platform/errors/index.js';
import { type MessageDocument, MessageRepository } from '../../messages/index.js';
import { type BegunTurn, type TurnLimit } from './turn.answer.js';

/**
 * How long the lease of a process that asks the avatar lasts without renewal, in milliseconds. Other processes measure
 * this by their own clocks, which may differ.
 */
export const LEASE_MS = 3000;
const LEASE_RENEWAL_MS = 1000;
/** How often a repeated request checks whether the first one has the answer, in milliseconds. */
const ANSWER_POLL_MS = 100;

/** How long a repeated request waits at least for the first one: until its lease would have been acquired. */
export const MIN_WAIT_SECONDS = (2 * LEASE_MS) / 1000;

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
   * @returns the answer, or null if it was handed over or this request has to ask; its message then has the acquired
   *   lease
   */
  async awaitAnswer(begun: BegunTurn, limit: TurnLimit): Promise<MessageDocument | null> {
    const { owner, outgoing } = begun;
    let seen: number | undefined;
    let seenSince = performance.now();
    for (;;) {
      const answered = await this.messages.findAnswer(owner, outgoing._id);
      if (answered) return answered;
      const asked = await this.messages.find(owner, outgoing._id);
      if (!asked) throw failure('user_erased');
      begun.conversation = asked.conversation;
      if (begun.conversation) return null;
      const lease = asked.lease_until!;
      if (lease !== seen) seenSince = performance.now();
      seen = lease;
      const isOver = lease === 0 || performance.now() - seenSince >= LEASE_MS;
      const next = this.nextLease(lease);
      if (isOver && (await this.messages.acquire(owner, outgoing._id, lease, next))) {
        begun.outgoing = { ...outgoing, lease_until: next };
        return null;
      }
      await delay(ANSWER_POLL_MS);
      if (limit.reason) throw limit.error;
    }
  }

  /**
   * Renews the lease while asking, unless another process acquires it; without a key, no other request would ask.
   *
   * @param message with the lease that this request has acquired
   */
  hold(
    owner: Owner,
    { _id, idempotency_key, lease_until }: MessageDocument,
  ): { stop(): void; release(): Promise<void> } {
    if (idempotency_key === undefined) return { stop: () => undefined, release: async () => undefined };
    // Several after a renewal that the database did not confirm: it may have been stored, or not.
    let own = [lease_until!];
    let isHeld = true;
    let renewed = Promise.resolve();
    const stop = () => {
      isHeld = false;
      clearInterval(timer);
    };
    const renew = async () => {
      if (!isHeld) return;
      const until = this.nextLease(own.at(-1)!);
      try {
        if (await this.messages.renew(owner, _id, own, until)) own = [until];
        else stop();
      } catch {
        own = [...own, until];
      }
    };
    const timer = setInterval(() => (renewed = renewed.then(renew)), LEASE_RENEWAL_MS);
    return {
      stop,
      release: async () => {
        stop();
        await renewed;
        await this.messages.renew(owner, _id, own, 0).catch(() => undefined);
      },
    };
  }

  /** Always different from the previous value, whatever the clock does: a lease that changes is held. */
  private nextLease(last: number): number {
    return Math.max(this.clock.now() + LEASE_MS, last + 1);
  }
}
