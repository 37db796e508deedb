import { Module } from '@nestjs/common';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { MongooseModule } from '@nestjs/mongoose';
import { CatalogueModule } from '../catalogue/index.js';
import { Events } from './events.service.js';
import { EventsService } from './module-events.js';
import { OutboxLeaseMigration } from './outbox-lease.migration.js';
import { OutboxRepository } from './outbox.repository.js';
import { OutboxEntry, OutboxSchema } from './outbox.schema.js';

/** Events: emitted to listeners in this process and put into the outbox for webhooks. */
@Module({
  imports: [
    CatalogueModule,
    EventEmitterModule.forRoot({ global: false, maxListeners: 100 }),
    MongooseModule.forFeature([{ name: OutboxEntry.name, schema: OutboxSchema }]),
  ],
  providers: [Events, EventsService, OutboxLeaseMigration, OutboxRepository],
  exports: [Events, EventsService, OutboxRepository],
})
export class EventsModule {}
