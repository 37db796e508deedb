import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/index.js';
import { CatalogueModule } from '../catalogue/index.js';
import { ChatModule } from '../chat/index.js';
import { ConfigModule } from '../config/index.js';
import { ConnectionModule } from '../connection/index.js';
import { DatabaseModule } from '../database/index.js';
import { HttpModule } from '../http/index.js';

/** The rooms that the commands work in. They never listen. */
@Module({
  imports: [ConfigModule, HttpModule, DatabaseModule, CatalogueModule, AuthModule, ConnectionModule, ChatModule],
})
export class CliModule {}
