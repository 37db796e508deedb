import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { CatalogueModule } from '../catalogue/index.js';
import { QualityRepository } from './quality.repository.js';
import { QualityDayDocument, QualityDaySchema } from './quality.schema.js';
import { Quality } from './quality.service.js';
import { UsageRepository } from './usage.repository.js';
import { UsageDayDocument, UsageDaySchema, UserTokensDocument, UserTokensSchema } from './usage.schema.js';
import { Usage } from './usage.service.js';

/** How well avatars answer, and what they use. */
@Module({
  imports: [
    CatalogueModule,
    MongooseModule.forFeature([
      { name: QualityDayDocument.name, schema: QualityDaySchema },
      { name: UsageDayDocument.name, schema: UsageDaySchema },
      { name: UserTokensDocument.name, schema: UserTokensSchema },
    ]),
  ],
  providers: [Quality, QualityRepository, Usage, UsageRepository],
  exports: [Quality, Usage],
})
export class QualityModule {}
