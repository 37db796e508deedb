import { Injectable } from '@nestjs/common';
import { type Webhook, type EventType, type ModuleEventType } from 'avatar-chat-catalogue';
import { CatalogueService } from '../catalogue/index.js';
import { Events, Outbox, type ServiceEvent } from '../events/index.js';
import { Clock } from '../platform/config/index.js';
import { type Endpoint, OutboxRepository, queueOf } from './outbox.repository.js';
import { WebhookBacklog } from './webhook.backlog.js';

/** Puts events into the outbox, once for each webhook that subscribes to them. */
@Injectable()
export class WebhookOutbox extends Outbox {
  private readonly addedListeners: Array<(queue: string) => void> = [];

  constructor(
    private readonly entries: OutboxRepository,
    private readonly backlog: WebhookBacklog,
    private readonly catalogue: CatalogueService,
    private readonly clock: Clock,
    events: Events,
  ) {
    super();
    events.useOutbox(this);
  }

  /** Registers a callback for new entries. */
  onAdded(listener: (queue: string) => void): void {
    this.addedListeners.push(listener);
  }

  async hasSubscriber(type: EventType | ModuleEventType, project_id: string): Promise<boolean> {
    return (await this.webhooksFor(type, project_id)).length > 0;
  }

  async add(event: ServiceEvent<EventType | ModuleEventType>, delayMs = 0): Promise<void> {
    const { project_id } = event.data;
    const webhooks = await this.webhooksFor(event.type, project_id);
    await Promise.all(webhooks.map(({ name: webhook }) => this.addTo({ project_id, webhook }, event, delayMs)));
  }

  private async addTo(
    endpoint: Endpoint,
    event: ServiceEvent<EventType | ModuleEventType>,
    delayMs: number,
  ): Promise<void> {
    const queue = queueOf(endpoint);
    if (!(await this.backlog.reserve(queue))) return this.entries.drop(event, endpoint.webhook, this.clock.now());
    try {
      await this.entries.add(event, endpoint.webhook, this.clock.now(), delayMs);
    } finally {
      this.backlog.release(queue);
    }
    for (const listener of this.addedListeners) listener(queue);
  }

  remove(event_id: string): Promise<void> {
    return this.entries.remove(event_id);
  }

  private async webhooksFor(type: EventType | ModuleEventType, project_id: string): Promise<readonly Webhook[]> {
    const { webhooks = [] } = (await this.catalogue.findProject(project_id)) ?? {};
    return webhooks.filter(({ events }) => events === undefined || events.includes(type));
  }
}
