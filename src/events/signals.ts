import { Injectable } from '@nestjs/common';
import { isDatabaseUnavailable, newId } from '../platform/database/index.js';
import { describeError, loggerOf } from '../platform/logging/index.js';
import type { EventSubject } from './event.types.js';
import { type Signal, SignalRepository } from './signal.repository.js';

const LOOK_MS = 1000;
/** How long after a later one a signal may become visible, in milliseconds. */
const LATE_MS = 10_000;

/** News about users besides messages, of any process: at once in this one, within about a second in others. */
@Injectable()
export class Signals {
  private readonly logger = loggerOf(Signals.name);
  private readonly listeners = new Set<(signal: Signal) => void>();
  private timer?: NodeJS.Timeout | undefined;
  private isLooking = false;
  /** Whether what was there when it began to listen is known. */
  private hasLooked = false;
  /** The date of the newest one found, in Unix milliseconds. */
  private newest = 0;
  /** Signals that are not news, as long as they may be found. */
  private readonly known = new Set<string>();
  /** By user, the newest of them that is a change. */
  private readonly changes = new Map<string, Signal>();

  constructor(private readonly repository: SignalRepository) {}

  /** Calls a listener for each signal, until the returned function is called. */
  subscribe(listener: (signal: Signal) => void): () => void {
    this.listeners.add(listener);
    if (!this.timer) {
      this.hasLooked = false;
      this.timer = setInterval(() => void this.look(), LOOK_MS).unref();
      void this.look();
    }
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size > 0) return;
      clearInterval(this.timer);
      this.timer = undefined;
    };
  }

  /**
   * @param _id what was sent with it in the last two minutes is not sent again
   * @param revision of what has changed
   * @throws DatabaseUnavailableError if nobody gets it
   */
  async send(
    { project_id, user_id }: EventSubject,
    event: Signal['event'],
    data: Signal['data'],
    _id = newId(),
    revision?: number,
  ): Promise<void> {
    const signal = { _id, project_id, user_id, event, data, ...(revision === undefined ? {} : { revision }) };
    if ((await this.repository.add(signal)) && this.listeners.size > 0) this.tell(signal);
  }

  /** Tells the listeners, unless it is known. */
  private tell(signal: Signal, isNews = true): void {
    const { _id, project_id, user_id, revision } = signal;
    if (this.known.has(_id)) return;
    this.known.add(_id);
    if (revision !== undefined) {
      const user = `${project_id}/${user_id}`;
      // The first one of a user may follow an erasure.
      if (revision > 1 && revision <= (this.changes.get(user)?.revision ?? 0)) return;
      this.changes.set(user, signal);
    }
    if (isNews) for (const listener of this.listeners) listener(signal);
  }

  private async look(): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      const gone = new Set(this.known);
      const found = await this.repository.findSince(new Date(this.newest - LATE_MS));
      for (const signal of found) {
        gone.delete(signal._id);
        this.newest = Math.max(this.newest, signal.date.getTime());
        this.tell(signal, this.hasLooked);
      }
      this.hasLooked = true;
      for (const _id of gone) this.known.delete(_id);
      for (const [user, { _id }] of this.changes) if (!this.known.has(_id)) this.changes.delete(user);
    } catch (error) {
      if (!isDatabaseUnavailable(error)) this.logger.error({ ...describeError(error) });
    } finally {
      this.isLooking = false;
    }
  }
}
