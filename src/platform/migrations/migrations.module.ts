import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { MongooseModule } from '@nestjs/mongoose';
import { MigrationRepository } from './migration.repository.js';
import { MigrationDocument, MigrationSchema } from './migration.schema.js';
import { MigrationsService } from './migrations.service.js';

/** Migrations of stored data, each run once per database. */
@Module({
  imports: [DiscoveryModule, MongooseModule.forFeature([{ name: MigrationDocument.name, schema: MigrationSchema }])],
  providers: [MigrationsService, MigrationRepository],
  exports: [MigrationsService],
})
export class MigrationsModule {}
