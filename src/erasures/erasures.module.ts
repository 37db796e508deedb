import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { CatalogueModule } from '../catalogue/index.js';
import { ErasureRepository } from './erasure.repository.js';
import { ErasureDocument, ErasureSchema } from './erasure.schema.js';
import { Erasures } from './erasures.service.js';

/** What has been erased lately, so that nothing that was in progress then writes it again. */
@Module({
  imports: [CatalogueModule, MongooseModule.forFeature([{ name: ErasureDocument.name, schema: ErasureSchema }])],
  providers: [Erasures, ErasureRepository],
  exports: [Erasures],
})
export class ErasuresModule {}
