import { type ExecutionContext, Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { ThrottlerModule } from '@nestjs/throttler';
import { CatalogueModule } from '../catalogue/index.js';
import { Config } from '../platform/config/index.js';
import { FailureLimit } from './rate-limits.failures.js';
import { kindOf, LimitsGuard, subjectOf } from './rate-limits.guard.js';
import { LimitsRepository } from './rate-limits.repository.js';
import { LimitDocument, LimitSchema } from './rate-limits.schema.js';
import { LimitsStorage } from './rate-limits.storage.js';
import { TurnCounts } from './rate-limits.turns.js';
import { UploadLimit } from './rate-limits.uploads.js';
import { VideoLimit } from './rate-limits.videos.js';

const MINUTE_MS = 60_000;

/** The counters, for modules that count something of their own. Without a guard. */
@Module({
  imports: [CatalogueModule, MongooseModule.forFeature([{ name: LimitDocument.name, schema: LimitSchema }])],
  providers: [LimitsRepository, LimitsStorage, TurnCounts, UploadLimit, VideoLimit],
  exports: [LimitsStorage, TurnCounts, UploadLimit, VideoLimit],
})
export class LimitsStorageModule {}

/** Rate limits per client, across all processes. The application registers the guard. */
@Module({
  imports: [
    CatalogueModule,
    LimitsStorageModule,
    ThrottlerModule.forRootAsync({
      imports: [LimitsStorageModule],
      inject: [Config, LimitsStorage],
      useFactory: ({ rateLimits }: Config, storage: LimitsStorage) => ({
        throttlers: [{ ttl: MINUTE_MS, limit: (context: ExecutionContext) => rateLimits[kindOf(context) ?? 'reads'] }],
        getTracker: async (_request: unknown, context: ExecutionContext) => subjectOf(context),
        generateKey: (context: ExecutionContext, subject: string) => `${kindOf(context)} ${subject}`,
        storage,
      }),
    }),
  ],
  providers: [FailureLimit, LimitsGuard],
  exports: [FailureLimit, LimitsGuard],
})
export class LimitsModule {}
