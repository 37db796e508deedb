import { type DynamicModule, Module, type ModuleMetadata } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AdminHttpModule, AdminModule } from './admin/index.js';
import { AuthModule, JwtGuard } from './auth/index.js';
import { CatalogueModule } from './catalogue/index.js';
import { ChatModule } from './chat/index.js';
import { type Config, ConfigModule } from './platform/config/index.js';
import { ConversationsHttpModule, ConversationsModule } from './conversations/index.js';
import { ConnectionModule } from './connection/index.js';
import { DatabaseModule } from './platform/database/index.js';
import { EnginesModule } from './engines/index.js';
import { EventsModule } from './events/index.js';
import { FilesModule } from './files/index.js';
import { GreetingsModule } from './avatars/index.js';
import { HealthModule } from './health/index.js';
import { HttpModule } from './platform/http/index.js';
import { KnowledgeHttpModule, KnowledgeModule } from './knowledge/index.js';
import { LiveModule } from './live/index.js';
import { BackgroundInstallationModule } from './speech/index.js';
import { MemoryModule } from './memory/index.js';
import { MigrationsModule } from './platform/migrations/index.js';
import { LimitsGuard, LimitsModule } from './rate-limits/index.js';
import { SuggestionsModule } from './avatars/index.js';
import { SpeechModule } from './speech/index.js';
import { ToolsModule } from './tools/index.js';
import { WebhooksModule } from './webhooks/index.js';

/** Guards of every route, in order: the rate limit needs to know the owner of the request. */
const GUARDS = [JwtGuard, LimitsGuard];

@Module({
  imports: [
    HttpModule,
    DatabaseModule,
    MigrationsModule,
    CatalogueModule,
    AuthModule,
    LimitsModule,
    EventsModule,
    ConnectionModule,
    EnginesModule,
    FilesModule,
    SpeechModule,
    GreetingsModule,
    SuggestionsModule,
    BackgroundInstallationModule,
    ChatModule,
    ConversationsModule,
    LiveModule,
    KnowledgeModule,
    MemoryModule,
    ToolsModule,
    WebhooksModule,
    AdminModule,
    HealthModule,
  ],
  providers: GUARDS.map((guard) => ({ provide: APP_GUARD, useExisting: guard })),
})
export class AppModule {
  /** The service as configured: without a key, the operators' routes do not exist. */
  static for(config: Config, modules: NonNullable<ModuleMetadata['imports']> = []): DynamicModule {
    const admin = config.adminKey === undefined ? [] : [AdminHttpModule, ConversationsHttpModule, KnowledgeHttpModule];
    return { module: AppModule, imports: [ConfigModule.with(config), ...admin, ...modules] };
  }

  /** Adds further modules: `AppModule.with(RatingsModule)`. */
  static with(...imports: NonNullable<ModuleMetadata['imports']>): DynamicModule {
    return { module: AppModule, imports: [ConfigModule, ...imports] };
  }
}
