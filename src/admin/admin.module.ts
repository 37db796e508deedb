import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/index.js';
import { ChatModule } from '../chat/index.js';
import { ConnectionModule } from '../connection/index.js';
import { EventsModule } from '../events/index.js';
import { AdminService } from './admin.service.js';

/** What operators do. */
@Module({
  imports: [CatalogueModule, ChatModule, ConnectionModule, EventsModule],
  providers: [AdminService],
  exports: [AdminService],
})
export class AdminModule {}
