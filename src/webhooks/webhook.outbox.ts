import { Injectable } from '@nestjs/common';
import { CatalogueService, type Webhook } from '../catalogue/index.js';
import { Events, type EventType, type ModuleEventType, Outbox, type ServiceEvent } from '../events/index.js';
import { Clock } from '../platform/config/index.js';
import { OutboxRepository } from './outbox.repository.js';

/** Puts events into the outbox, once for each webhook that subscribes to them. */
@Injectable()
export class WebhookOutbox extends Outbox {
  private readonly addedListeners: Array<() => void> = [];

  constructor(
    private readonly entries: OutboxRepository,
    private readonly catalogue: CatalogueService,
    private readonly clock: Clock,
    events: Events,
  ) {
    super();
    events.useOutbox(this);
  }

  /** Registers a callback for new entries. */
  onAdded(listener: () => void): void {
    this.addedListeners.push(listener);
  }

  async hasSubscriber(type: EventType | ModuleEventType, project_id: string): Promise<boolean> {
    return (await this.webhooksFor(type, project_id)).length > 0;
  }

  async add(event: ServiceEvent<EventType | ModuleEventType>, delayMs = 0): Promise<void> {
    const webhooks = await this.webhooksFor(event.type, event.data.project_id);
    if (webhooks.length === 0) return;
    const names = webhooks.map(({ name }) => name);
    await this.entries.add(event, names, this.clock.now(), delayMs);
    for (const listener of this.addedListeners) listener();
  }

  remove(event_id: string): Promise<void> {
    return this.entries.remove(event_id);
  }

  private async webhooksFor(type: EventType | ModuleEventType, project_id: string): Promise<readonly Webhook[]> {
    const { webhooks = [] } = (await this.catalogue.findProject(project_id)) ?? {};
    return webhooks.filter(({ events }) => events === undefined || events.includes(type));
  }
}
