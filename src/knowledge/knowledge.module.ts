import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { AdminHttpModule } from '../admin/index.js';
import { CatalogueModule } from '../catalogue/index.js';
import { ErasureModule } from '../erasure/index.js';
import { OpenAiModule } from '../openai/index.js';
import { KnowledgePrompt, KnowledgeQuotes } from './knowledge.answers.js';
import { KnowledgeBases } from './knowledge.bases.js';
import { KnowledgeController } from './knowledge.controller.js';
import { KnowledgeEmbeddings } from './knowledge.embeddings.js';
import { KnowledgeRepository } from './knowledge.repository.js';
import {
  KnowledgeDocument,
  KnowledgeDocumentSchema,
  KnowledgePassages,
  KnowledgePassagesSchema,
} from './knowledge.schema.js';
import { KnowledgeSearch } from './knowledge.search.js';
import { KnowledgeService } from './knowledge.service.js';

/** Documents that avatars answer from. */
@Module({
  imports: [
    CatalogueModule,
    ErasureModule,
    OpenAiModule,
    MongooseModule.forFeature([
      { name: KnowledgeDocument.name, schema: KnowledgeDocumentSchema },
      { name: KnowledgePassages.name, schema: KnowledgePassagesSchema },
    ]),
  ],
  providers: [
    KnowledgeBases,
    KnowledgeEmbeddings,
    KnowledgePrompt,
    KnowledgeQuotes,
    KnowledgeRepository,
    KnowledgeSearch,
    KnowledgeService,
  ],
  exports: [KnowledgeService],
})
export class KnowledgeModule {}

/** Their administration over HTTP, if an `ADMIN_KEY` is set. */
@Module({ imports: [AdminHttpModule, KnowledgeModule], controllers: [KnowledgeController] })
export class KnowledgeHttpModule {}
