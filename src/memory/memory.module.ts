import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { CatalogueModule } from '../catalogue/index.js';
import { EnginesModule } from '../engines/index.js';
import { ErasureModule } from '../erasure/index.js';
import { EventsModule } from '../events/index.js';
import { MessagesModule } from '../messages/index.js';
import { BackgroundModule } from '../platform/background/index.js';
import { QualityModule } from '../quality/index.js';
import { MemoryController } from './memory.controller.js';
import { MemoryPrompt } from './memory.prompt.js';
import { MemoryRepository } from './memory.repository.js';
import { MemoryDocument, MemorySchema } from './memory.schema.js';
import { Memories } from './memory.service.js';

/** What users said of themselves, remembered in projects that want it. */
@Module({
  imports: [
    BackgroundModule,
    CatalogueModule,
    EnginesModule,
    ErasureModule,
    EventsModule,
    MessagesModule,
    QualityModule,
    MongooseModule.forFeature([{ name: MemoryDocument.name, schema: MemorySchema }]),
  ],
  controllers: [MemoryController],
  providers: [Memories, MemoryPrompt, MemoryRepository],
  exports: [Memories],
})
export class MemoryModule {}
