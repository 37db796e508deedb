import type { Owner } from '../auth/index.js';
import { type Brief, type Cursor, MAX_POSITIONS, type MessageDocument, type MessageFeed } from '../messages/index.js';
import type { Clock } from '../platform/config/index.js';

/** How long later messages wait for an answer that is still being spoken, in milliseconds from its date. */
const MAX_HOLD_MS = 60_000;

/** A position in a user's history. */
export class UserPosition {
  /** Whether messages wait for an answer that is not final. */
  isHeld = false;
  /** Whether there are more messages than were read. */
  hasMore = false;

  constructor(
    private readonly feed: MessageFeed,
    private readonly owner: Owner,
    private from: Cursor,
    private readonly clock: Clock,
  ) {}

  async next(limit: number): Promise<MessageDocument[]> {
    const found = await this.feed.after(this.owner, this.from, limit);
    const now = this.clock.now();
    const unfinished = found.findIndex((message) => isUnfinished(message, now));
    const final = found.slice(0, unfinished < 0 ? Infinity : unfinished);
    this.isHeld = final.length < found.length;
    this.hasMore = final.length === limit;
    return final;
  }

  markSent({ _id, date }: MessageDocument): void {
    this.from = { _id, date };
  }

  isBefore({ date }: Cursor): boolean {
    return date > this.from.date;
  }
}

/** Whether an answer's text may still change: messages are sent in order, and once. */
function isUnfinished(
  { unfinished_until = 0, date }: Pick<MessageDocument, 'unfinished_until' | 'date'>,
  now: number,
): boolean {
  return unfinished_until > now && date > now - MAX_HOLD_MS;
}

/** How late a message of another process may become visible, and its clock be behind, in milliseconds: until then its position is not passed. */
export const SETTLED_MS = 5000;

/** How far before the date of a message others may be dated that are sent after it. */
export const MAX_LATE_MS = MAX_HOLD_MS + SETTLED_MS;

/**
 * Whether a stream that has sent the message `last` has certainly sent this one, though users' messages are not sent in
 * the order of their dates: those of a process have ascending ids, those of others become visible soon, and spoken
 * answers are sent when they are final.
 */
export function wasSentBefore(message: Brief, last: Cursor): boolean {
  if (message._id === last._id) return true;
  if (message.date > last.date || message.chat_type !== 'text') return message.date <= last.date - MAX_LATE_MS;
  // The part of an ObjectId that each process chooses.
  const isOfSameProcess = message._id.slice(8, 18) === last._id.slice(8, 18);
  return isOfSameProcess ? message._id < last._id : message.date < last.date - SETTLED_MS;
}

/** In the order in which a process has recorded them, so that {@link wasSentBefore} knows it, unless a user's order differs. */
function inOrderOfIds(messages: readonly Brief[]): readonly Brief[] {
  const ordered = messages.toSorted((one, other) => (one._id < other._id ? -1 : 1));
  const dates = new Map<string, number>();
  for (const { user_id, date } of ordered) {
    if (date < dates.get(user_id)!) return messages;
    dates.set(user_id, date);
  }
  return ordered;
}

/** A position in the messages of all users of a project: in the order of the history for each user. */
export class ProjectPosition {
  readonly isHeld = false;
  hasMore = false;
  /** Of all streams of the project. What this one holds back is sent by it. */
  shared: ProjectPosition = this;
  /** Messages to look for whatever their date: unfinished ones, and those behind them. */
  readonly held = new Set<string>();
  /** Messages that are not new, and until when that counts. */
  private readonly seen = new Map<string, number>();

  /** @param seen messages after the position that are known, if they are final */
  constructor(
    private readonly feed: MessageFeed,
    private readonly project_id: string,
    private passed: number,
    private readonly clock: Clock,
    seen: readonly Brief[],
  ) {
    for (const message of seen) if (!isUnfinished(message, clock.now())) this.markSent(message);
  }

  async next(limit: number): Promise<MessageDocument[]> {
    const now = this.clock.now();
    const { held } = this.shared;
    const awaited = [...held, ...this.held];
    const found = await this.feed.ofProject(this.project_id, this.passed, MAX_POSITIONS, awaited);
    const users = new Set<string>();
    const ready: Brief[] = [];
    for (const message of found) {
      if (this.seen.has(message._id)) continue;
      if (isUnfinished(message, now)) users.add(message.user_id);
      if (users.has(message.user_id)) held.add(message._id);
      else ready.push(message);
    }
    const ordered = inOrderOfIds(ready);
    const rest = [...ordered.slice(limit), ...found.slice(MAX_POSITIONS - 1)];
    this.hasMore = ordered.length > limit;
    const settled = rest.reduce((first, { date }) => Math.min(first, date), now - SETTLED_MS);
    for (const [_id, until] of this.seen)
      if (until < settled && this.seen.delete(_id)) this.passed = Math.max(this.passed, until);
    for (const _id of awaited) if (!found.some((message) => message._id === _id)) this.held.delete(_id);
    const ids = ordered.slice(0, limit).map(({ _id }) => _id);
    return this.feed.inOrder(this.project_id, ids);
  }

  markSent({ _id, date }: Pick<Brief, '_id' | 'date'>): void {
    this.seen.set(_id, Math.max(date, this.clock.now()));
    this.held.delete(_id);
  }

  isBefore({ _id }: Pick<Cursor, '_id'>): boolean {
    return !this.seen.has(_id);
  }
}
