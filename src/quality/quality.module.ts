import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { CatalogueModule } from '../catalogue/index.js';
import { HealthModule } from '../health/index.js';
import { QualityRepository } from './quality.repository.js';
import { QualityDayDocument, QualityDaySchema } from './quality.schema.js';
import { Quality } from './quality.service.js';

/** How well avatars answer. */
@Module({
  imports: [
    CatalogueModule,
    HealthModule,
    MongooseModule.forFeature([{ name: QualityDayDocument.name, schema: QualityDaySchema }]),
  ],
  providers: [Quality, QualityRepository],
  exports: [Quality],
})
export class QualityModule {}
