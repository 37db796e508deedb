import { Injectable } from '@nestjs/common';
import { type Owner, ownerKey } from '../../auth/index.js';
import { Counts } from 'avatar-chat-runtime';
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

interface Waiting {
  user: string;
  isKnown(): boolean;
  admit(): void;
}

/** Limits the number of history reads in flight in this process; the others queue. */
@Injectable()
export class HistoryReads {
  private readonly readsOf = new Counts();
  private readonly waiting = new Set<Waiting>();
  private readonly waitingOf = new Counts();
  private total = 0;

  /**
   * Runs a read when a slot is free.
   *
   * @param isKnown whether it will return little, by what is then known of the user's messages
   * @throws ServiceError `rate_limited` if too many of the user's reads are queued
   * @throws DatabaseUnavailableError if too many are queued, or for too long
   */
  async run<T>(owner: Owner, isKnown: () => boolean, read: () => Promise<T>): Promise<T> {
    const user = ownerKey(owner);
    if (this.hasRoomFor(user, isKnown())) this.begin(user);
    else await this.waitFor(user, isKnown);
    try {
      return await read();
    } finally {
      this.end(user);
    }
  }

  private hasRoomFor(user: string, isKnown: boolean): boolean {
    return (
      this.total < MAX_READS && this.readsOf.get(user) < (isKnown ? MAX_READS_PER_USER : MAX_UNKNOWN_READS_PER_USER)
    );
  }

  private begin(user: string): void {
    this.total++;
    this.readsOf.add(user, 1);
  }

  private end(user: string): void {
    this.total--;
    this.readsOf.add(user, -1);
    for (const next of this.waiting) {
      if (this.total >= MAX_READS) return;
      if (this.hasRoomFor(next.user, next.isKnown())) next.admit();
    }
  }

  private async waitFor(user: string, isKnown: () => boolean): Promise<void> {
    if (this.waitingOf.get(user) >= MAX_WAITING_PER_USER) throw limitReached('reads_at_a_time', 1);
    if (this.waiting.size >= MAX_WAITING) throw new DatabaseUnavailableError();
    this.waitingOf.add(user, 1);
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        this.waiting.delete(one);
        this.waitingOf.add(user, -1);
      };
      const one: Waiting = {
        user,
        isKnown,
        admit: () => {
          leave();
          this.begin(user);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        leave();
        reject(new DatabaseUnavailableError());
      }, WAIT_MS);
      this.waiting.add(one);
    });
  }
}
