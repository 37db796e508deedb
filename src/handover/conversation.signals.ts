import { Injectable } from '@nestjs/common';
import { type Owner, ownerKey } from '../auth/index.js';
import { Clock } from '../platform/config/index.js';
import { isDatabaseUnavailable } from '../platform/database/index.js';
import { describeError, loggerOf } from '../platform/logging/index.js';
import { ConversationRepository, newId } from './conversation.repository.js';
import type { SignalDocument } from './conversation.schema.js';

const POLL_MS = 1000;
/** How far the clocks of other processes may be behind, in milliseconds. */
const CLOCK_BEHIND_MS = 30_000;

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
  /** The signals of that query. */
  private known = new Set<string>();
  /** By user, the newest change of state in that time: one that comes late is none. */
  private revisions = new Map<string, number>();

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
    const signal = { project_id, user_id, event, data, ...(revision === undefined ? {} : { revision }) };
    const isNew = await this.repository.addSignal({ _id, ...signal, date: new Date(this.clock.now()) });
    if (!isNew || this.known.has(_id)) return;
    this.known.add(_id);
    this.notify(signal);
  }

  private notify(signal: ConversationSignal): void {
    const { revision } = signal;
    // The first one of a user may follow an erasure.
    if (revision !== undefined && revision > 1 && revision <= (this.revisions.get(ownerKey(signal)) ?? 0)) return;
    if (revision !== undefined) this.revisions.set(ownerKey(signal), revision);
    for (const listener of this.listeners) listener(signal);
  }

  private async poll(): Promise<void> {
    if (this.isPolling) return;
    this.isPolling = true;
    try {
      const began = this.clock.now();
      const signals = await this.repository.findSignals(new Date(this.polled - CLOCK_BEHIND_MS));
      const { known, started } = this;
      this.known = new Set(signals.map(({ _id }) => _id));
      this.polled = began;
      for (const signal of signals) if (!known.has(signal._id) && signal.date.getTime() >= started) this.notify(signal);
      const users = new Set(signals.map(ownerKey));
      for (const user of this.revisions.keys()) if (!users.has(user)) this.revisions.delete(user);
    } catch (error) {
      if (!isDatabaseUnavailable(error)) this.logger.error({ ...describeError(error) });
    } finally {
      this.isPolling = false;
    }
  }
}
