import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { MongooseModule } from '@nestjs/mongoose';
import { CatalogueModule } from '../catalogue/index.js';
import { ErasureFences } from './erasure.fences.js';
import { ErasureRepository } from './erasure.repository.js';
import { ErasureDocument, ErasureSchema } from './erasure.schema.js';
import { ErasureService } from './erasure.service.js';

/** Erases what features store of users, and keeps work in progress from storing it again. */
@Module({
  imports: [
    CatalogueModule,
    DiscoveryModule,
    MongooseModule.forFeature([{ name: ErasureDocument.name, schema: ErasureSchema }]),
  ],
  providers: [ErasureFences, ErasureRepository, ErasureService],
  exports: [ErasureFences, ErasureService],
})
export class ErasureModule {}
