import type { Owner } from '../auth/index.js';
import type { Clock } from '../platform/config/index.js';
import type { Cursor, MessageDocument, MessageFeed } from '../messages/index.js';

/** How long later messages wait for an answer that is still being spoken, in milliseconds from its date. */
export const MAX_HOLD_MS = 60_000;

/** How far a stream has got. */
export interface Position {
  /** The next messages, oldest first; fewer than the limit if there are no more now. */
  next(limit: number): Promise<MessageDocument[]>;
  /** A message has been sent. */
  markSent(message: MessageDocument): void;
  /** Whether a message comes after it. */
  isBefore(message: Cursor): boolean;
  /** Whether messages wait for an answer that is not final. */
  readonly isHeld: boolean;
  /** How long to wait between two reads, in milliseconds. */
  readonly pauseMs?: number;
}

/** A position in a user's history. */
export class UserPosition implements Position {
  isHeld = false;

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
export function isUnfinished({ unfinished_until = 0, date }: MessageDocument, now: number): boolean {
  return unfinished_until > now && date > now - MAX_HOLD_MS;
}
