import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { CatalogueModule } from '../catalogue/index.js';
import { ErasureModule } from '../erasure/index.js';
import { EventsModule } from '../events/index.js';
import { MessagesModule } from '../messages/index.js';
import { BackgroundModule } from '../platform/background/index.js';
import { ConversationRepository } from './conversation.repository.js';
import { ConversationDocument, ConversationSchema, SignalDocument, SignalSchema } from './conversation.schema.js';
import { ConversationSignals } from './conversation.signals.js';
import { HandoverData } from './handover.data.js';
import { HandoverService } from './handover.service.js';
import { HandoverTimeouts } from './handover.timeouts.js';

/** Who answers: the avatar or a person. */
@Module({
  imports: [
    BackgroundModule,
    CatalogueModule,
    ErasureModule,
    EventsModule,
    MessagesModule,
    MongooseModule.forFeature([
      { name: ConversationDocument.name, schema: ConversationSchema },
      { name: SignalDocument.name, schema: SignalSchema },
    ]),
  ],
  providers: [ConversationRepository, ConversationSignals, HandoverData, HandoverService, HandoverTimeouts],
  exports: [ConversationRepository, ConversationSignals, HandoverService],
})
export class HandoverModule {}
