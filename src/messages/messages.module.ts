import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { BackgroundModule } from '../platform/background/index.js';
import { CatalogueModule } from '../catalogue/index.js';
import { ErasureModule } from '../erasure/index.js';
import { EventsModule } from '../events/index.js';
import { FilesModule } from '../files/index.js';
import { MessageAppender } from './message.appender.js';
import { MessageArchive } from './message.archive.js';
import { MessageController } from './message.controller.js';
import { MessageExpiry } from './message.expiry.js';
import { MessageFeed } from './message.feed.js';
import { MessageQuestions } from './message.questions.js';
import { MessageRecorder } from './message.recorder.js';
import { MessageRemoval } from './message.removal.js';
import { MessageRepository } from './message.repository.js';
import { MessageRetention } from './message.retention.js';
import { MessageDocument, MessageSchema } from './message.schema.js';
import { MessageUsers } from './message.users.js';
import { RatingService } from './rating.service.js';

/** Stored messages: recording, import and export, ratings, removal and retention. */
@Module({
  imports: [
    BackgroundModule,
    CatalogueModule,
    ErasureModule,
    EventsModule,
    FilesModule,
    MongooseModule.forFeature([{ name: MessageDocument.name, schema: MessageSchema }]),
  ],
  controllers: [MessageController],
  providers: [
    MessageAppender,
    MessageArchive,
    MessageExpiry,
    MessageFeed,
    MessageQuestions,
    MessageRecorder,
    MessageRemoval,
    MessageRepository,
    MessageRetention,
    MessageUsers,
    RatingService,
  ],
  exports: [MessageArchive, MessageFeed, MessageQuestions, MessageRecorder, MessageRepository],
})
export class MessagesModule {}
