import { Module } from '@nestjs/common';
import { ErasureModule } from '../erasure/index.js';
import { EventsModule } from '../events/index.js';
import { FilesModule } from '../files/index.js';
import { MessagesModule } from '../messages/index.js';
import { LimitsStorageModule } from '../rate-limits/index.js';
import { EventStreams } from './event.streams.js';
import { EventsController } from './events.controller.js';
import { StreamOpening } from './stream.opening.js';

/** What happens in conversations, as it happens: `GET /chat/events`. */
@Module({
  imports: [ErasureModule, EventsModule, FilesModule, LimitsStorageModule, MessagesModule],
  controllers: [EventsController],
  providers: [EventStreams, StreamOpening],
  exports: [EventStreams],
})
export class ConversationsModule {}
