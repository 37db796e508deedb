import { AvatarChatError, type Message, type Turn } from 'avatar-chat-client';
import type { Entry } from './history.js';
import type { UserStorage } from '../core/user-storage.js';

/** A turn in flight, and the entries that show it. */
export interface Pending {
  turn: Turn;
  idempotencyKey: string;
  /** The time of the newest message before it. */
  after: number;
  mine: Entry;
  answer: Entry;
  /** Whether the answer is only read: the user has gone on speaking. */
  isHushed?: boolean;
}

/** Messages that failed or may have failed. The browser keeps them until they are sent; recordings last as long as the page. */
export class Outbox {
  private readonly entries = new Map<string, Entry>();

  constructor(
    private readonly store: UserStorage,
    private readonly retry: (pending: Pending) => void,
  ) {}

  /** @param error undefined if it is unknown whether the message has arrived */
  fail(pending: Pending, error: unknown = new AvatarChatError('unsent', '')): void {
    const { idempotencyKey, mine } = pending;
    this.entries.set(idempotencyKey, mine);
    Object.assign(mine, { state: 'failed', error, retry: () => this.retry(pending) });
    this.storeTurn(pending);
  }

  storeTurn({
    turn: { file, ...turn },
    idempotencyKey: key,
    after,
    mine: { id, date: at = Date.now(), error },
  }: Pending): void {
    if (file) return;
    const { code, message, status } = error instanceof AvatarChatError ? error : new AvatarChatError('unsent', '');
    this.store.addUnsent({ key, turn, at, after, code, message, status, id });
  }

  /** The turn was answered. */
  removeAnswered(key: string): void {
    this.store.removeUnsent(key);
    this.entries.delete(key);
  }

  /** A stored answer: the turn has not failed after all. @returns the entry that showed it as failed */
  settle({ request }: Message): Entry | undefined {
    for (const [key, mine] of this.entries) {
      if (mine.state !== 'failed' || mine.id === undefined || mine.text !== request) continue;
      this.removeAnswered(key);
      return Object.assign(mine, { state: 'done', error: undefined, retry: undefined });
    }
    return undefined;
  }

  /** Drops everything. */
  clear(): void {
    for (const { key } of this.store.unsent) this.store.removeUnsent(key);
    this.entries.clear();
  }

  /**
   * Restores messages that failed before this page was opened.
   *
   * @param history the newest entries, oldest first; some of the messages may be among them
   */
  recall(history: readonly Entry[], newAnswer: () => Entry): Entry[] {
    return this.store.unsent.flatMap(({ key, turn, at, after, code, message, status, id }) => {
      const stored = history.findLast(
        (entry) =>
          entry.mine &&
          (id ? entry.id === id : entry.text === turn.request && entry.date !== undefined && entry.date > after),
      );
      const answer = stored && history[history.indexOf(stored) + 1];
      if (answer?.mine === false && answer.state === 'done') {
        this.store.removeUnsent(key);
        return [];
      }
      const mine = stored ?? { mine: true, text: turn.request ?? '', date: at, state: 'failed' };
      this.fail(
        { turn, idempotencyKey: key, after, mine, answer: newAnswer() },
        new AvatarChatError(code, message, status),
      );
      return mine;
    });
  }
}
