import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Counts } from '../counts/index.js';
import { failure } from '../errors/index.js';

const MIB = 1024 * 1024;
/** How long an answer may be held, in milliseconds, before it has to give way to others. */
const GIVES_WAY_AFTER_MS = 5000;
/** Bytes of answers that this process holds for clients which have not read them yet. */
export const HELD_BYTES = 64 * MIB;
/** Of those, the bytes of one subject. */
export const HELD_BYTES_OF_ONE = 16 * MIB;

interface HeldAnswer {
  /** By the monotonic clock. */
  since: number;
  cutOff(): void;
}

/**
 * Bounds what answers in progress take up in memory: a client that reads nothing of what it asked for holds it here until
 * it is cut off. Counted are histories, files and exports, whose size clients decide; what else is sent is small.
 */
@Injectable()
export class HeldBytes {
  private readonly heldOf = new Counts();
  /** Answers in progress, the oldest first. */
  private readonly answers = new Set<HeldAnswer>();
  private total = 0;

  /** Bytes held at present. */
  get size(): number {
    return this.total;
  }

  /**
   * Counts bytes as held until an answer has been sent or its connection has ended. Where all together hold too many,
   * those that have been held for longest are cut off.
   *
   * @param subject whom they are held for: a user, or what stands for one
   * @throws ServiceError `rate_limited` if the subject holds too many, `service_unavailable` if all together do
   */
  hold(subject: string, bytes: number, response: ServerResponse): void {
    const { socket } = response.req;
    // Nobody would tell that it has ended, for it has: nothing will be held for it.
    if (socket.destroyed) return;
    const ofSubject = this.heldOf.get(subject);
    // What is larger than the whole share goes by itself.
    if (ofSubject > 0 && ofSubject + bytes > HELD_BYTES_OF_ONE) throw failure('rate_limited', 1);
    if (this.total + bytes > HELD_BYTES) this.makeRoom(bytes);
    this.heldOf.add(subject, bytes);
    this.total += bytes;
    const release = () => {
      if (!this.answers.delete(answer)) return;
      this.total -= bytes;
      this.heldOf.add(subject, -bytes);
    };
    const answer: HeldAnswer = {
      since: performance.now(),
      cutOff: () => {
        release();
        socket.destroy();
      },
    };
    this.answers.add(answer);
    response.once('close', release);
    // A pipelined answer that waits for the ones before it is not told when its connection ends.
    if (!response.socket) socket.once('close', release);
  }

  private makeRoom(bytes: number): void {
    for (const { since, cutOff } of this.answers) {
      if (performance.now() - since < GIVES_WAY_AFTER_MS) break;
      cutOff();
      if (this.total + bytes <= HELD_BYTES) return;
    }
    if (this.total > 0) throw failure('service_unavailable');
  }
}
