import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/index.js';
import { EventsModule } from '../events/index.js';
import { HealthModule } from '../health/index.js';
import { OutgoingModule } from '../platform/outgoing-http/index.js';
import { WebhookDispatcher } from './webhook.dispatcher.js';
import { WebhookSender } from './webhook.sender.js';
import { WebhooksService } from './webhooks.service.js';

/** Delivers events to other systems. */
@Module({
  imports: [CatalogueModule, EventsModule, HealthModule, OutgoingModule],
  providers: [WebhookDispatcher, WebhookSender, WebhooksService],
  exports: [WebhooksService],
})
export class WebhooksModule {}
