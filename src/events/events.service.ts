import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { EventEmitter2 } from '@nestjs/event-emitter';
import { CatalogueService, type EventType, type ModuleEventType, type Webhook } from '../catalogue/index.js';
import { Clock } from '../platform/config/index.js';
import { inTime } from '../platform/waits/index.js';
import type { AnyEventType, DataOf, EventData, ServiceEvent } from './event.types.js';
import { OutboxRepository } from './outbox.repository.js';
import { loggerOf } from '../platform/logging/index.js';

/** How long a process that ends waits for its listeners, in milliseconds. */
const STOP_TIMEOUT_MS = 2000;

/** How long {@link Events.tell} waits, in milliseconds. */
const TELL_TIMEOUT_MS = 10_000;

/**
 * Where messages are read when they are sent, so that the outbox need not hold what was said: what has been erased in
 * the meantime is not sent.
 */
export interface MessageSource {
  /** @returns undefined where the message is gone. */
  find(project_id: string, user_id: string, message_id: string): Promise<EventData['message.created'] | undefined>;
  /**
   * Puts into the outbox what was stored before a time and has not got there. Both times are Unix time in milliseconds; what
   * was stored after `now`, by a clock that was ahead, counts as well.
   */
  enqueuePending(before: number, now: number): Promise<void>;
}

/** Tells of what has happened: listeners in this process, and, by way of the outbox, webhooks. */
@Injectable()
export class Events implements BeforeApplicationShutdown {
  private readonly logger = loggerOf(Events.name);
  private readonly enqueuedListeners: Array<() => void> = [];
  private readonly atWork = new Set<Promise<unknown>>();
  private source?: MessageSource;

  constructor(
    private readonly emitter: EventEmitter2,
    private readonly catalogue: CatalogueService,
    private readonly outbox: OutboxRepository,
    private readonly clock: Clock,
  ) {}

  /** @internal While there still is a database: the command line ends as soon as its command is done. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.race([Promise.all(this.atWork), delay(STOP_TIMEOUT_MS, undefined, { ref: false })]);
  }

  /** Says where messages are read. Called once, by the module that has them. */
  readMessagesFrom(source: MessageSource): void {
    this.source = source;
  }

  get messages(): MessageSource | undefined {
    return this.source;
  }

  /** Calls this whenever something is new in the outbox. */
  onEnqueued(listener: () => void): void {
    this.enqueuedListeners.push(listener);
  }

  /** Whether a webhook of a project asks for a type of event. By memory alone. */
  async hasSubscriber(type: EventType | ModuleEventType, project_id: string): Promise<boolean> {
    return (await this.webhooksFor(type, project_id)).length > 0;
  }

  /**
   * Tells of something that has just happened. Once this is done, webhooks will hear of it even if this process ends.
   *
   * @param delayMs how long webhooks wait before they are told
   * @returns the event's identifier, if a webhook asks for it
   * @throws DatabaseUnavailableError only where a webhook asks for the event
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

  /** Takes an event back that is not to be told after all, as far as it has not been. */
  retract(event_id: string): Promise<void> {
    return this.outbox.remove(event_id);
  }

  /** Tells listeners in this process alone, and waits until they are done, up to 10 s. */
  async tell<T extends AnyEventType>(type: T, data: EventData[T]): Promise<void> {
    if (!this.hasListeners(type)) return;
    // What listeners throw is logged; only the limit is an error here.
    const told = this.emit(this.newEvent<AnyEventType>(type, data));
    await inTime(told, TELL_TIMEOUT_MS, () => new Error('late')).catch(() => undefined);
  }

  /** Tells the listeners in this process. What they throw is logged. */
  async emit(event: ServiceEvent<AnyEventType | ModuleEventType>): Promise<void> {
    if (!this.hasListeners(event.type)) return;
    const listening: Promise<unknown> = this.emitter
      .emitAsync(event.type, event)
      .catch((error: unknown) => {
        this.logger.error(new Error(`A listener of ${event.type} failed`, { cause: error }));
      })
      .finally(() => this.atWork.delete(listening));
    this.atWork.add(listening);
    await listening;
  }

  /** Whether anything in this process listens. */
  hasListeners(type: AnyEventType | ModuleEventType): boolean {
    return this.emitter.listenerCount(type) > 0;
  }

  /** Puts an event into the outbox, once for each webhook that asks for it. Doing so again changes nothing. */
  async enqueue(event: ServiceEvent<EventType | ModuleEventType>, delayMs = 0): Promise<void> {
    const { project_id } = event.data;
    const webhooks = await this.webhooksFor(event.type, project_id);
    if (webhooks.length === 0) return;
    await this.outbox.add(
      event,
      webhooks.map(({ name }) => name),
      this.clock.now(),
      delayMs,
    );
    for (const listener of this.enqueuedListeners) listener();
  }

  private newEvent<T extends AnyEventType | ModuleEventType>(type: T, data: DataOf<T>): ServiceEvent<T> {
    return { id: `evt_${randomBytes(12).toString('hex')}`, type, date: this.clock.now(), data };
  }

  private async webhooksFor(type: EventType | ModuleEventType, project_id: string): Promise<readonly Webhook[]> {
    const { webhooks = [] } = (await this.catalogue.findProject(project_id)) ?? {};
    return webhooks.filter(({ events }) => events === undefined || events.includes(type));
  }
}
