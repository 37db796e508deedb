import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { OutgoingHttp, WebhookSender } from 'avatar-chat-runtime';
import { BackgroundModule } from '../platform/background/index.js';
import { Clock, Config } from '../platform/config/index.js';
import { provideClass } from '../platform/extension-points/index.js';
import { CatalogueModule } from '../catalogue/index.js';
import { ErasureModule } from '../erasure/index.js';
import { EventsModule } from '../events/index.js';
import { OutgoingModule } from '../platform/outgoing-http/index.js';
import { OutboxErasure } from './outbox.erasure.js';
import { OutboxRepository } from './outbox.repository.js';
import { OutboxEntry, OutboxSchema } from './outbox.schema.js';
import './webhook.bodies.js';
import { WebhookBacklog } from './webhook.backlog.js';
import { WebhookDispatcher } from './webhook.dispatcher.js';
import { WebhookOutbox } from './webhook.outbox.js';
import { WebhooksService } from './webhooks.service.js';

/** Delivers events to other systems. */
@Module({
  imports: [
    BackgroundModule,
    CatalogueModule,
    ErasureModule,
    EventsModule,
    OutgoingModule,
    MongooseModule.forFeature([{ name: OutboxEntry.name, schema: OutboxSchema }]),
  ],
  providers: [
    OutboxErasure,
    OutboxRepository,
    WebhookBacklog,
    WebhookDispatcher,
    WebhookOutbox,
    provideClass(WebhookSender, [Config, Clock, OutgoingHttp]),
    WebhooksService,
  ],
  exports: [WebhooksService],
})
export class WebhooksModule {}
