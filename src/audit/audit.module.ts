import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { ErasureModule } from '../erasure/index.js';
import { AuditLog } from './audit.log.js';
import { AuditRepository } from './audit.repository.js';
import { AuditDocument, AuditSchema } from './audit.schema.js';

/** What operators changed over HTTP. */
@Module({
  imports: [ErasureModule, MongooseModule.forFeature([{ name: AuditDocument.name, schema: AuditSchema }])],
  providers: [AuditLog, AuditRepository],
  exports: [AuditLog],
})
export class AuditModule {}
