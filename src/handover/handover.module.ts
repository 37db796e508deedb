import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { CatalogueModule } from '../catalogue/index.js';
import { ErasureModule } from '../erasure/index.js';
import { EventsModule } from '../events/index.js';
import { MessagesModule } from '../messages/index.js';
import { BackgroundModule } from '../platform/background/index.js';
import { ConversationRepository } from './conversation.repository.js';
import { ConversationDocument, ConversationSchema } from './conversation.schema.js';
import { HandoverData } from './handover.data.js';
import { HandoverService } from './handover.service.js';

/** Who answers: the avatar or a person. */
@Module({
  imports: [
    BackgroundModule,
    CatalogueModule,
    ErasureModule,
    EventsModule,
    MessagesModule,
    MongooseModule.forFeature([{ name: ConversationDocument.name, schema: ConversationSchema }]),
  ],
  providers: [ConversationRepository, HandoverData, HandoverService],
  exports: [ConversationRepository, HandoverService],
})
export class HandoverModule {}
