import { Injectable } from '@nestjs/common';
import { FairQueue, type MayStart, QueueFullError } from 'avatar-chat-runtime';
import { DatabaseUnavailableError } from '../../platform/database/index.js';
import { limitReached } from '../../platform/limits/index.js';

/** Reads of histories in flight per process. */
const MAX_READS = 16;
/** Reads in flight of one user. While the size of the user's messages is unknown, a read may return up to 16 MiB. */
const MAX_READS_PER_USER = 12;
const MAX_UNKNOWN_READS_PER_USER = 1;
/** Requests in the queue, in all and of one user, and their timeout in milliseconds. */
const MAX_WAITING = 2000;
const MAX_WAITING_PER_USER = 200;
const WAIT_MS = 1000;

/** Limits the number of history reads in flight in this process; the others queue. */
@Injectable()
export class HistoryReads {
  private readonly queue = new FairQueue(MAX_READS, MAX_WAITING);

  /**
   * Runs a read when a slot is free.
   *
   * @param holders the user, then possibly the address
   * @param isKnown whether it will return little, by what is then known of the user's messages
   * @throws ServiceError `rate_limited` if too many of the user's reads are queued
   * @throws DatabaseUnavailableError if too many are queued, or for too long
   */
  async run<T>(holders: readonly string[], isKnown: () => boolean, read: () => Promise<T>): Promise<T> {
    const mayStart: MayStart = ([active]) => active! < (isKnown() ? MAX_READS_PER_USER : MAX_UNKNOWN_READS_PER_USER);
    const leave = this.queue.enterAtOnce(holders, mayStart) ?? (await this.waitFor(holders, mayStart));
    try {
      return await read();
    } finally {
      leave();
    }
  }

  private async waitFor(holders: readonly string[], mayStart: MayStart): Promise<() => void> {
    if (this.queue.waitingOf(holders[0]!) >= MAX_WAITING_PER_USER) throw limitReached('reads_at_a_time', 1);
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new DatabaseUnavailableError()), WAIT_MS);
    try {
      return await this.queue.enter(holders, { signal: late.signal, mayStart });
    } catch (error) {
      throw error instanceof QueueFullError ? new DatabaseUnavailableError() : error;
    } finally {
      clearTimeout(timer);
    }
  }
}
