import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { failure } from '../errors/index.js';
import { limitReached } from './refusals.js';
import { FairShare, onceClosedInQueue } from 'avatar-chat-runtime';

const MIB = 1024 * 1024;
/** How long a response may be held, in milliseconds, before it has to make room for one of a user who holds as much. */
const GIVES_WAY_AFTER_MS = 5000;
/** Maximum number of bytes of responses that this process holds for clients that have not read them yet. */
export const MAX_HELD_BYTES = 64 * MIB;
/** Maximum number of these bytes per user, or per address where there is no user. */
export const MAX_HELD_BYTES_PER_SUBJECT = 16 * MIB;

/**
 * Limits the memory of responses in progress: a client that does not read its response holds it here until it is
 * disconnected. Counts histories, files and exports, whose size clients choose; all other responses are small.
 */
@Injectable()
export class ResponseMemory {
  private readonly share = new FairShare(MAX_HELD_BYTES);
  /** Responses in progress, oldest first; `since` by the monotonic clock. */
  private readonly answers = new Set<{ readonly since: number; cutOff(): void }>();

  /** Bytes currently held. */
  get size(): number {
    return this.share.size;
  }

  /**
   * Counts bytes as held until a response has been sent or its connection has closed. If too many are held in all,
   * clients of the largest holders are disconnected; among equals, those that have been held longest.
   *
   * @param holders whom they are held for: a user, or a substitute, then possibly the address
   * @throws ServiceError `rate_limited` if the user holds too many, `service_unavailable` if there is no room
   */
  hold(holders: readonly string[], bytes: number, response: ServerResponse): void {
    const { socket } = response.req;
    // The response has already ended, so no event would release the bytes, and none will be held.
    if (socket.destroyed || bytes === 0) return;
    const held = this.share.sizeOf(holders[0]!);
    // A response larger than the whole share is allowed if it is the only one.
    if (held > 0 && held + bytes > MAX_HELD_BYTES_PER_SUBJECT) throw limitReached('response_memory', 1);
    const released = this.acquire(holders, bytes, () => socket.destroy());
    const release = () => {
      this.answers.delete(answer);
      released();
    };
    const cutOff = () => {
      release();
      socket.destroy();
    };
    const answer = { since: performance.now(), cutOff };
    this.answers.add(answer);
    response.once('close', release);
    onceClosedInQueue(response, release);
  }

  private acquire(holders: readonly string[], bytes: number, giveWay: () => void): () => void {
    let release = this.share.acquire(holders, giveWay, bytes);
    for (const { since, cutOff } of this.answers) {
      if (release || performance.now() - since < GIVES_WAY_AFTER_MS) break;
      cutOff();
      release = this.share.acquire(holders, giveWay, bytes);
    }
    if (!release) throw failure('service_unavailable');
    return release;
  }
}
