import { Module } from '@nestjs/common';
import { AdminHttpModule, AdminModule } from '../admin/index.js';
import { ChatModule } from '../chat/index.js';
import { CatalogueModule } from '../catalogue/index.js';
import { ErasureModule } from '../erasure/index.js';
import { EventsModule } from '../events/index.js';
import { FilesModule } from '../files/index.js';
import { MessagesModule } from '../messages/index.js';
import { HandoverModule } from '../handover/index.js';
import { LimitsStorageModule } from '../rate-limits/index.js';
import { ConversationController } from './conversation.controller.js';
import { ConversationListing } from './conversation.list.js';
import { EventStreams } from './event.streams.js';
import { EventsController } from './events.controller.js';
import { OperatorController } from './operator.controller.js';
import { StreamOpening } from './stream.opening.js';

/** What happens in conversations, as it happens: `GET /chat/events`. */
@Module({
  imports: [
    CatalogueModule,
    ErasureModule,
    EventsModule,
    FilesModule,
    HandoverModule,
    LimitsStorageModule,
    MessagesModule,
  ],
  controllers: [ConversationController, EventsController],
  providers: [EventStreams, StreamOpening],
  exports: [EventStreams, StreamOpening],
})
export class ConversationsModule {}

/** What operators do in conversations, if an `ADMIN_KEY` is set. */
@Module({
  imports: [
    AdminHttpModule,
    AdminModule,
    CatalogueModule,
    ChatModule,
    ConversationsModule,
    EventsModule,
    FilesModule,
    HandoverModule,
  ],
  controllers: [OperatorController],
  providers: [ConversationListing],
})
export class ConversationsHttpModule {}
