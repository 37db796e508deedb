import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { MongooseModule } from '@nestjs/mongoose';
import { MigrationRepository } from './migration.repository.js';
import { MigrationDocument, MigrationSchema } from './migration.schema.js';
import { MigrationsService } from './migrations.service.js';

/** Changes of the form of stored data, once for each database. */
@Module({
  imports: [DiscoveryModule, MongooseModule.forFeature([{ name: MigrationDocument.name, schema: MigrationSchema }])],
  providers: [MigrationsService, MigrationRepository],
  exports: [MigrationsService],
})
export class MigrationsModule {}
