import { Module } from '@nestjs/common';
import { AdminModule } from '../admin/index.js';
import { AuthModule } from '../auth/index.js';
import { CatalogueModule } from '../catalogue/index.js';
import { ChatModule } from '../chat/index.js';
import { ConfigModule } from '../config/index.js';
import { DatabaseModule } from '../database/index.js';
import { HttpModule } from '../http/index.js';
import { WebhooksModule } from '../webhooks/index.js';

/** The rooms that the commands work in. They never listen. */
@Module({
  imports: [
    ConfigModule,
    HttpModule,
    DatabaseModule,
    CatalogueModule,
    AuthModule,
    ChatModule,
    AdminModule,
    WebhooksModule,
  ],
})
export class CliModule {}
