import { Injectable } from '@nestjs/common';
import type { Owner } from '../../auth/index.js';
import { type ErasureFence, ErasureFences, isGone } from '../../erasure/index.js';

/** How often it is checked whether the user of work in progress has been erased, in milliseconds. */
const CHECK_MS = 1000;

/** Work in progress for a user. */
export interface Watched {
  readonly owner: Owner;
  /** When it began; undefined: at the next check. */
  fence?: ErasureFence | undefined;
  /** The user was erased, or the project removed, since then: called at each check. */
  onGone(error: unknown): void;
}

/** Notifies work in progress, within about a second, that its user was erased in any process. */
@Injectable()
export class TurnErasures {
  private readonly watched = new Set<Watched>();
  private timer?: NodeJS.Timeout | undefined;

  constructor(private readonly fences: ErasureFences) {}

  /** Checks it every second: all at the same time, so that they share the reads. @returns a function that ends it */
  watch(watched: Watched): () => void {
    this.watched.add(watched);
    this.timer ??= setInterval(() => {
      for (const one of this.watched) void this.check(one);
    }, CHECK_MS).unref();
    return () => {
      this.watched.delete(watched);
      if (this.watched.size > 0) return;
      clearInterval(this.timer);
      this.timer = undefined;
    };
  }

  /** Checks it now, if the database is available. Never rejects. */
  async check(watched: Watched): Promise<void> {
    try {
      watched.fence ??= await this.fences.currentFence();
      await this.fences.assertNotErased(watched.owner, watched.fence);
    } catch (error) {
      if (isGone(error)) watched.onGone(error);
    }
  }
}
