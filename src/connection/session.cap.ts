import { Injectable } from '@nestjs/common';
import { type Owner, ownerKey } from '../auth/index.js';
import { SessionRepository } from './session.repository.js';

/** Maximum number of sessions per user; the oldest are ended. */
const MAX_SESSIONS = 100;
/** Sessions that a user opens at one process before the oldest are removed. */
const STEP = 200;
/** Maximum number of users that are counted at a time. */
const MAX_USERS = 20_000;

/**
 * Limits the sessions of each user without delaying requests: each process counts the sessions a user opens, and
 * removes the oldest after every step. So a user has at most {@link MAX_SESSIONS}, plus one step for each process.
 */
@Injectable()
export class SessionCap {
  private opened = new Map<string, number>();

  constructor(private readonly sessions: SessionRepository) {}

  /** Counts a session. Does not wait, and fails silently: the next step tries again. */
  count(owner: Owner): void {
    const user = ownerKey(owner);
    const opened = (this.opened.get(user) ?? 0) + 1;
    if (opened < STEP) {
      if (this.opened.size >= MAX_USERS) this.opened = new Map();
      this.opened.set(user, opened);
      return;
    }
    this.opened.delete(user);
    void this.sessions.trim(owner, MAX_SESSIONS).catch(() => undefined);
  }
}
