import { Module } from '@nestjs/common';
import { AdminHttpModule, AdminModule } from '../admin/index.js';
import { ChatModule } from '../chat/index.js';
import { ErasureModule } from '../erasure/index.js';
import { EventsModule } from '../events/index.js';
import { FilesModule } from '../files/index.js';
import { MessagesModule } from '../messages/index.js';
import { LimitsStorageModule } from '../rate-limits/index.js';
import { EventStreams } from './event.streams.js';
import { EventsController } from './events.controller.js';
import { OperatorController } from './operator.controller.js';
import { StreamOpening } from './stream.opening.js';

/** What happens in conversations, as it happens: `GET /chat/events`. */
@Module({
  imports: [ErasureModule, EventsModule, FilesModule, LimitsStorageModule, MessagesModule],
  controllers: [EventsController],
  providers: [EventStreams, StreamOpening],
  exports: [EventStreams],
})
export class ConversationsModule {}

/** What operators do in conversations, if an `ADMIN_KEY` is set. */
@Module({ imports: [AdminHttpModule, AdminModule, ChatModule, ConversationsModule], controllers: [OperatorController] })
export class ConversationsHttpModule {}
