import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Counts } from './keyed-counter.js';
import { failure } from '../errors/index.js';
import { onceClosedInQueue } from './queued-response.js';

const MIB = 1024 * 1024;
/** How long a response may be held, in milliseconds, before it has to make room for others. */
const GIVES_WAY_AFTER_MS = 5000;
/** Maximum number of bytes of responses that this process holds for clients that have not read them yet. */
export const MAX_HELD_BYTES = 64 * MIB;
/** Maximum number of these bytes per subject. */
export const MAX_HELD_BYTES_PER_SUBJECT = 16 * MIB;

interface HeldResponse {
  /** By the monotonic clock. */
  since: number;
  cutOff(): void;
}

/**
 * Limits the memory of responses in progress: a client that does not read its response holds it here until it is
 * disconnected. Counts histories, files and exports, whose size clients choose; all other responses are small.
 */
@Injectable()
export class ResponseMemory {
  private readonly heldOf = new Counts();
  /** Responses in progress, oldest first. */
  private readonly answers = new Set<HeldResponse>();
  private total = 0;

  /** Bytes currently held. */
  get size(): number {
    return this.total;
  }

  /**
   * Counts bytes as held until a response has been sent or its connection has closed. If too many are held in all,
   * those that have been held longest are disconnected.
   *
   * @param subject whom they are held for: a user, or a substitute
   * @throws ServiceError `rate_limited` if the subject holds too many, `service_unavailable` if all together do
   */
  hold(subject: string, bytes: number, response: ServerResponse): void {
    const { socket } = response.req;
    // The response has already ended, so no event would release the bytes, and none will be held.
    if (socket.destroyed) return;
    const ofSubject = this.heldOf.get(subject);
    // A response larger than the whole share is allowed if it is the only one.
    if (ofSubject > 0 && ofSubject + bytes > MAX_HELD_BYTES_PER_SUBJECT) throw failure('rate_limited', 1);
    if (this.total + bytes > MAX_HELD_BYTES) this.makeRoom(bytes);
    this.heldOf.add(subject, bytes);
    this.total += bytes;
    const release = () => {
      if (!this.answers.delete(answer)) return;
      this.total -= bytes;
      this.heldOf.add(subject, -bytes);
    };
    const answer: HeldResponse = {
      since: performance.now(),
      cutOff: () => {
        release();
        socket.destroy();
      },
    };
    this.answers.add(answer);
    response.once('close', release);
    onceClosedInQueue(response, release);
  }

  private makeRoom(bytes: number): void {
    for (const { since, cutOff } of this.answers) {
      if (performance.now() - since < GIVES_WAY_AFTER_MS) break;
      cutOff();
      if (this.total + bytes <= MAX_HELD_BYTES) return;
    }
    if (this.total > 0) throw failure('service_unavailable');
  }
}
