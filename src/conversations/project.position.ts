import type { Cursor, MessageDocument, MessageFeed } from '../messages/index.js';
import { isUnfinished, type Position } from './user.position.js';

/** How late a message of another process may become visible, in milliseconds: until then its position is not passed. */
const SETTLED_MS = 5000;
/** Messages that wait for unfinished ones are read again with those behind them. */
const MAX_HELD = 200;

/** A position in the messages of all users of a project: in the order of the history for each user. */
export class ProjectPosition implements Position {
  isHeld = false;
  readonly pauseMs = 250;
  private readonly seen = new Map<string, Cursor>();

  /** @param seen messages after the position that are known */
  constructor(
    private readonly feed: MessageFeed,
    private readonly project_id: string,
    private from: Cursor,
    private readonly now: () => number,
    seen: readonly MessageDocument[] = [],
  ) {
    for (const message of seen) this.markSent(message);
  }

  async next(limit: number): Promise<MessageDocument[]> {
    const now = this.now();
    const found = await this.feed.ofProject(this.project_id, this.from, limit + this.seen.size + MAX_HELD);
    const held = new Set<string>();
    const ready: MessageDocument[] = [];
    let settled = now - SETTLED_MS;
    for (const message of found) {
      if (isUnfinished(message, now)) held.add(message.user_id);
      if (held.has(message.user_id)) settled = Math.min(settled, message.date);
      else if (!this.seen.has(message._id)) ready.push(message);
    }
    this.isHeld = held.size > 0;
    this.moveTo(settled);
    return ready.slice(0, limit);
  }

  markSent({ _id, date }: MessageDocument): void {
    this.seen.set(_id, { _id, date });
  }

  isBefore({ _id }: Cursor): boolean {
    return !this.seen.has(_id);
  }

  /** Passes the known messages before a time. */
  private moveTo(date: number): void {
    for (const [_id, cursor] of this.seen) {
      if (cursor.date >= date) continue;
      this.seen.delete(_id);
      const isLater = cursor.date > this.from.date || (cursor.date === this.from.date && _id > this.from._id);
      if (isLater) this.from = cursor;
    }
  }
}
