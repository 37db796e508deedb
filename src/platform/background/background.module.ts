import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { BackgroundTimes, BackgroundWork } from './background-work.js';
import { BackgroundLease } from './background.lease.js';
import { BackgroundDocument, BackgroundSchema } from './background.schema.js';

/** Work that one process at a time does for all. */
@Module({
  imports: [MongooseModule.forFeature([{ name: BackgroundDocument.name, schema: BackgroundSchema }])],
  providers: [BackgroundLease, BackgroundTimes, BackgroundWork],
  exports: [BackgroundWork],
})
export class BackgroundModule {}
