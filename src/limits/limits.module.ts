import { type ExecutionContext, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ThrottlerModule } from '@nestjs/throttler';
import { Config } from '../config/index.js';
import { kindOf, LimitsGuard, subjectOf } from './limits.guard.js';

const MINUTE = 60_000;

/** How often a client may ask, counted in this process. Imported after AuthModule, so that its guard comes second. */
@Module({
  imports: [
    ThrottlerModule.forRootAsync({
      inject: [Config],
      useFactory: ({ rateLimits }: Config) => ({
        throttlers: [{ ttl: MINUTE, limit: (context: ExecutionContext) => rateLimits[kindOf(context) ?? 'reads'] }],
        getTracker: async (_request: unknown, context: ExecutionContext) => subjectOf(context),
        generateKey: (context: ExecutionContext, subject: string) => `${kindOf(context)} ${subject}`,
      }),
    }),
  ],
  providers: [{ provide: APP_GUARD, useClass: LimitsGuard }],
})
export class LimitsModule {}
