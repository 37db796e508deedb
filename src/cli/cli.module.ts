import { Module, type ModuleMetadata } from '@nestjs/common';
import { AdminModule } from '../admin/index.js';
import { AuthModule } from '../auth/index.js';
import { CatalogueModule } from '../catalogue/index.js';
import { ChatModule } from '../chat/index.js';
import { ConfigModule } from '../platform/config/index.js';
import { DatabaseCopy, DatabaseModule, type DatabaseTimeouts } from '../platform/database/index.js';
import { KnowledgeModule } from '../knowledge/index.js';
import { HttpModule } from '../platform/http/index.js';
import { MigrationsModule } from '../platform/migrations/index.js';
import { ToolsModule } from '../tools/index.js';
import { WebhooksModule } from '../webhooks/index.js';

/** Unlike requests, commands have no deadline: on a busy machine they should be slow rather than fail. */
const TIMEOUTS: DatabaseTimeouts = { start: 15_000, connection: 5000, operation: 30_000, preparation: Infinity };

/** Further Nest modules of the service. */
export type Modules = NonNullable<ModuleMetadata['imports']>;

/** The modules that commands use. They never listen. */
@Module({
  imports: [
    ConfigModule,
    HttpModule,
    DatabaseModule.with(TIMEOUTS),
    MigrationsModule,
    CatalogueModule,
    AuthModule,
    ChatModule,
    KnowledgeModule,
    AdminModule,
    ToolsModule,
    WebhooksModule,
  ],
  providers: [DatabaseCopy],
})
export class CliModule {}
