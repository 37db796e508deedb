import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { ChatController } from './chat.controller.js';
import { ChatService } from './chat.service.js';
import { MessageArchive } from './message.archive.js';
import { MessageRepository } from './message.repository.js';
import { MessageDocument, MessageSchema } from './message.schema.js';

/** The history of each user. Other modules record and page messages through {@link ChatService}. */
@Module({
  imports: [MongooseModule.forFeature([{ name: MessageDocument.name, schema: MessageSchema }])],
  controllers: [ChatController],
  providers: [ChatService, MessageArchive, MessageRepository],
  exports: [ChatService, MessageArchive],
})
export class ChatModule {}
