import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { EventEmitter2 } from '@nestjs/event-emitter';
import { Clock } from '../platform/config/index.js';
import { withTimeout } from 'avatar-chat-runtime';
import type { EventType, ModuleEventType } from 'avatar-chat-catalogue';
import type { AnyEventType, DataOf, EventData, ServiceEvent } from './event.types.js';
import type { Outbox } from './outbox.js';
import { loggerOf } from '../platform/logging/index.js';

/** How long a shutdown, and {@link Events.emitAndWait}, wait for listeners, in milliseconds. */
const [STOP_TIMEOUT_MS, LISTENER_TIMEOUT_MS] = [2000, 10_000];

/**
 * Reads messages when they are sent, so that the outbox does not store their text: what has been erased in the meantime
 * is not sent.
 */
export interface MessageSource {
  /** @returns undefined if the message was removed */
  find(project_id: string, user_id: string, message_id: string): Promise<EventData['message.created'] | undefined>;
  /** Those of these messages that exist. */
  existing(project_id: string, user_id: string, message_ids: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Puts messages stored before a time into the outbox if they are not there yet. Both times are Unix time in
   * milliseconds. Messages stored after `now`, by a clock that was ahead, are included.
   */
  enqueuePending(before: number, now: number): Promise<void>;
}

/** Emits events to listeners in this process and, through the {@link Outbox}, to other systems. */
@Injectable()
export class Events implements BeforeApplicationShutdown {
  private readonly logger = loggerOf(Events.name);
  private readonly atWork = new Set<Promise<unknown>>();
  private source?: MessageSource;
  private outbox?: Outbox;

  constructor(
    private readonly emitter: EventEmitter2,
    private readonly clock: Clock,
  ) {}

  /** @internal Runs before the database disconnects: the command line exits as soon as its command is done. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.race([Promise.all(this.atWork), delay(STOP_TIMEOUT_MS, undefined, { ref: false })]);
  }

  /** Sets the source of messages. Called once, by the module that stores them. */
  readMessagesFrom(source: MessageSource): void {
    this.source = source;
  }

  get messages(): MessageSource | undefined {
    return this.source;
  }

  /** Sets where events for other systems are put. Called once, by the module that delivers them. */
  useOutbox(outbox: Outbox): void {
    this.outbox = outbox;
  }

  /** Whether another system subscribes to a type of event of a project, from the cache. */
  async hasSubscriber(type: EventType | ModuleEventType, project_id: string): Promise<boolean> {
    return (await this.outbox?.hasSubscriber(type, project_id)) ?? false;
  }

  /**
   * Emits an event. Once this resolves, webhooks will get it even if this process ends.
   *
   * @param delayMs delay before webhooks are notified
   * @returns the event's identifier, if a webhook subscribes to it
   * @throws DatabaseUnavailableError only if a webhook subscribes to the event
   */
  async publish<T extends EventType | ModuleEventType>(
    type: T,
    data: DataOf<T> & { project_id: string },
    delayMs = 0,
  ): Promise<string | undefined> {
    const hasSubscriber = await this.hasSubscriber(type, data.project_id);
    if (!hasSubscriber && !this.hasListeners(type)) return undefined;
    const event = this.newEvent(type, data);
    void this.emit(event);
    if (!hasSubscriber) return undefined;
    await this.enqueue(event, delayMs);
    return event.id;
  }

  /** Withdraws an event, unless it has been sent already. */
  async retract(event_id: string): Promise<void> {
    await this.outbox?.remove(event_id);
  }

  /** Emits to listeners in this process only, and waits for them, up to 10 s. */
  async emitAndWait<T extends AnyEventType>(type: T, data: EventData[T]): Promise<void> {
    if (!this.hasListeners(type)) return;
    // Errors of listeners are logged; only the timeout is an error here.
    const notified = this.emit(this.newEvent<AnyEventType>(type, data));
    await withTimeout(notified, LISTENER_TIMEOUT_MS, () => new Error('late')).catch(() => undefined);
  }

  /** Notifies the listeners in this process. Their errors are logged. */
  async emit(event: ServiceEvent<AnyEventType | ModuleEventType>): Promise<void> {
    if (!this.hasListeners(event.type)) return;
    const listening: Promise<unknown> = this.emitter
      .emitAsync(event.type, event)
      .catch((error: unknown) => this.logger.error(new Error(`A listener of ${event.type} failed`, { cause: error })))
      .finally(() => this.atWork.delete(listening));
    this.atWork.add(listening);
    await listening;
  }

  /** Calls a listener for each event of a type in this process, until the returned function is called. */
  subscribe<T extends AnyEventType>(type: T, listener: (event: ServiceEvent<T>) => unknown): () => void {
    this.emitter.on(type, listener);
    return () => void this.emitter.off(type, listener);
  }

  /** Whether anything in this process listens. */
  hasListeners(type: AnyEventType | ModuleEventType): boolean {
    return this.emitter.listenerCount(type) > 0;
  }

  /** Puts an event into the outbox. Idempotent. */
  async enqueue(event: ServiceEvent<EventType | ModuleEventType>, delayMs = 0): Promise<void> {
    await this.outbox?.add(event, delayMs);
  }

  private newEvent<T extends AnyEventType | ModuleEventType>(type: T, data: DataOf<T>): ServiceEvent<T> {
    return { id: `evt_${randomBytes(12).toString('hex')}`, type, date: this.clock.now(), data };
  }
}
