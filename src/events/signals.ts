import { Injectable } from '@nestjs/common';
import { isDatabaseUnavailable, newId } from '../platform/database/index.js';
import { describeError, loggerOf } from '../platform/logging/index.js';
import type { EventSubject } from './event.types.js';
import { type Signal, SignalRepository } from './signal.repository.js';

const LOOK_MS = 1000;
/** How long it knows what it no longer finds, in milliseconds: the clock of the database may be set back. */
const KNOWN_MS = 240_000;

/** News about users besides messages, of any process: at once in this one, within about a second in others. */
@Injectable()
export class Signals {
  private readonly logger = loggerOf(Signals.name);
  private readonly listeners = new Set<(signal: Signal) => void>();
  private timer?: NodeJS.Timeout | undefined;
  private isLooking = false;
  /** When it began to listen, by `performance.now()`, until it knows what was there before. */
  private began?: number | undefined;
  /** The date of the newest one found, at the latest the database's time, in Unix milliseconds. */
  private newest = 0;
  /** Signals that are not news, and when they were found, by `performance.now()`. */
  private readonly known = new Map<string, number>();
  /** By user, the newest of them that is a change. */
  private readonly changes = new Map<string, Signal>();

  constructor(private readonly repository: SignalRepository) {}

  /** Calls a listener for each signal, until the returned function is called. */
  subscribe(listener: (signal: Signal) => void): () => void {
    this.listeners.add(listener);
    if (!this.timer) {
      this.began = performance.now();
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
    this.known.set(_id, performance.now());
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
      const found = await this.repository.findSince(this.newest);
      const looked = performance.now();
      if (found.length === 0) this.newest = 0; // it may have been ahead
      for (const { now, ...signal } of found) {
        const date = signal.date.getTime();
        this.newest = Math.min(Math.max(this.newest, date), now.getTime());
        this.tell(signal, this.began === undefined || date >= now.getTime() - (looked - this.began));
        this.known.set(signal._id, looked);
      }
      this.began = undefined;
      for (const [_id, at] of this.known) if (at < looked - KNOWN_MS) this.known.delete(_id);
      for (const [user, { _id }] of this.changes) if (!this.known.has(_id)) this.changes.delete(user);
    } catch (error) {
      if (!isDatabaseUnavailable(error)) this.logger.error({ ...describeError(error) });
    } finally {
      this.isLooking = false;
    }
  }
}
