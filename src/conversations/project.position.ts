import type { Cursor, MessageDocument, MessageFeed } from '../messages/index.js';
import { isUnfinished, MAX_HOLD_MS, type Position } from './user.position.js';

/** How late a message of another process may become visible, and its clock be behind, in milliseconds: until then its position is not passed. */
export const SETTLED_MS = 5000;
/** Messages that wait for unfinished ones are read again with those behind them. */
const MAX_HELD = 200;

/** How far before the date of a message others may be dated that are sent after it. */
export const MAX_LATE_MS = MAX_HOLD_MS + SETTLED_MS;

/**
 * Whether a stream that has sent the message `last` has certainly sent this one, though users' messages are not sent in
 * the order of their dates: those of a process have ascending ids, those of others become visible soon, and spoken
 * answers are sent when they are final.
 */
export function wasSentBefore(message: MessageDocument, last: Cursor): boolean {
  if (message._id === last._id) return true;
  if (message.date > last.date || message.chat_type !== 'text') return message.date <= last.date - MAX_LATE_MS;
  const isOfSameProcess = processOf(message) === processOf(last);
  return isOfSameProcess ? message._id < last._id : message.date < last.date - SETTLED_MS;
}

/** In the order in which a process has recorded them, so that {@link wasSentBefore} knows it, unless a user's order differs. */
function inOrderOfIds(messages: readonly MessageDocument[]): readonly MessageDocument[] {
  const ordered = messages.toSorted((one, other) => (one._id < other._id ? -1 : 1));
  const dates = new Map<string, number>();
  for (const { user_id, date } of ordered) {
    if (date < dates.get(user_id)!) return messages;
    dates.set(user_id, date);
  }
  return ordered;
}

/** The part of an ObjectId that each process chooses. */
const processOf = ({ _id }: Pick<Cursor, '_id'>) => _id.slice(8, 18);

/** A position in the messages of all users of a project: in the order of the history for each user. */
export class ProjectPosition implements Position {
  isHeld = false;
  readonly pauseMs = 250;
  private readonly seen = new Map<string, Cursor>();

  /** @param seen messages after the position that are known, if they are final */
  constructor(
    private readonly feed: MessageFeed,
    private readonly project_id: string,
    private from: Cursor,
    private readonly now: () => number,
    seen: readonly MessageDocument[] = [],
  ) {
    for (const message of seen) if (!isUnfinished(message, now())) this.markSent(message);
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
    const ordered = inOrderOfIds(ready);
    for (const { date } of ordered.slice(limit)) settled = Math.min(settled, date);
    this.moveTo(settled);
    return ordered.slice(0, limit);
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
