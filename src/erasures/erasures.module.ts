import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { CatalogueModule } from '../catalogue/index.js';
import { ErasureRepository } from './erasure.repository.js';
import { ErasureDocument, ErasureSchema } from './erasure.schema.js';
import { Erasures } from './erasures.service.js';

/** Recent erasures, so that work in progress does not write the data again. */
@Module({
  imports: [CatalogueModule, MongooseModule.forFeature([{ name: ErasureDocument.name, schema: ErasureSchema }])],
  providers: [Erasures, ErasureRepository],
  exports: [Erasures],
})
export class ErasuresModule {}
