import { Injectable } from '@nestjs/common';
import { type Owner, ownerKey } from '../auth/index.js';
import { Clock } from '../platform/config/index.js';
import { isDatabaseUnavailable, newId } from '../platform/database/index.js';
import { describeError, loggerOf } from '../platform/logging/index.js';
import { ConversationRepository } from './conversation.repository.js';
import type { SignalDocument } from './conversation.schema.js';

const POLL_MS = 1000;
/** How far the clocks of other processes may be behind, in milliseconds. */
const CLOCK_BEHIND_MS = 30_000;
/** How long a signal is known after it was told or found last: longer than it can be found again. */
const KNOWN_MS = 120_000;

/** A change of state, a person who is typing, or a person's message. */
export type ConversationSignal = Pick<SignalDocument, 'project_id' | 'user_id' | 'event' | 'data' | 'revision'>;
type Listener = (signal: ConversationSignal) => void;

/** What happens in conversations besides messages, in any process: at once in this one, within about a second in others. */
@Injectable()
export class ConversationSignals {
  private readonly logger = loggerOf(ConversationSignals.name);
  private readonly listeners = new Set<Listener>();
  private timer?: NodeJS.Timeout | undefined;
  private isPolling = false;
  /** When it began to look, and when the last successful query began, in Unix milliseconds. */
  private started = 0;
  private polled = 0;
  /** Signals that the listeners were told of, and when each was told or found last, in Unix milliseconds. */
  private readonly known = new Map<string, number>();
  /** By user, the newest of them that is a change of state: an earlier one that comes late is none. */
  private readonly changes = new Map<string, SignalDocument>();

  constructor(
    private readonly repository: ConversationRepository,
    private readonly clock: Clock,
  ) {}

  /** Calls a listener for each signal, until the returned function is called. */
  subscribe(listener: Listener): () => void {
    this.listeners.add(listener);
    if (!this.timer) {
      this.started = this.polled = this.clock.now();
      this.timer = setInterval(() => void this.poll(), POLL_MS).unref();
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
   * @param revision of the conversation, for a change of state
   * @throws DatabaseUnavailableError if nobody gets it
   */
  async send(
    { project_id, user_id }: Pick<Owner, 'project_id' | 'user_id'>,
    event: SignalDocument['event'],
    data: SignalDocument['data'],
    _id = newId(),
    revision?: number,
  ): Promise<void> {
    const date = new Date(this.clock.now());
    const signal = { _id, project_id, user_id, event, data, date, ...(revision === undefined ? {} : { revision }) };
    if (await this.repository.addSignal(signal)) this.notify(signal);
  }

  private notify(signal: SignalDocument): void {
    if (this.listeners.size === 0) return;
    const { _id, revision } = signal;
    const isKnown = this.known.has(_id);
    this.known.set(_id, this.clock.now());
    if (isKnown) return;
    if (revision !== undefined) {
      const user = ownerKey(signal);
      // The first one of a user may follow an erasure.
      if (revision > 1 && revision <= (this.changes.get(user)?.revision ?? 0)) return;
      this.changes.set(user, signal);
    }
    for (const listener of this.listeners) listener(signal);
  }

  private async poll(): Promise<void> {
    if (this.isPolling) return;
    this.isPolling = true;
    try {
      const began = this.clock.now();
      const signals = await this.repository.findSignals(new Date(this.polled - CLOCK_BEHIND_MS));
      this.polled = began;
      for (const signal of signals) if (signal.date.getTime() >= this.started) this.notify(signal);
      for (const [_id, at] of this.known) if (at < began - KNOWN_MS) this.known.delete(_id);
      for (const [user, { _id }] of this.changes) if (!this.known.has(_id)) this.changes.delete(user);
    } catch (error) {
      if (!isDatabaseUnavailable(error)) this.logger.error({ ...describeError(error) });
    } finally {
      this.isPolling = false;
    }
  }
}
