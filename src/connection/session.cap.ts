import { Injectable } from '@nestjs/common';
import { type Owner, ownerKey } from '../auth/index.js';
import { SessionRepository } from './session.repository.js';

/** Sessions that a user keeps; of more the oldest end. */
export const MAX_SESSIONS = 100;
/** Sessions that a user opens at one process before the oldest are looked for. */
const STEP = 200;
/** Users that are counted at a time. */
const MAX_USERS = 20_000;

/**
 * Bounds the sessions of each user, beside the requests that open them: a process counts what each user opens there and
 * removes the oldest after every so many. So a user has {@link MAX_SESSIONS} and at most a step more for each process.
 */
@Injectable()
export class SessionCap {
  private opened = new Map<string, number>();

  constructor(private readonly sessions: SessionRepository) {}

  /** Counts a session. Does not wait, and fails silently: the next step does it again. */
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
