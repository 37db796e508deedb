import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/index.js';
import { EnginesModule } from '../engines/index.js';
import { OutgoingModule } from '../platform/outgoing-http/index.js';
import { ProjectTools } from './project.tools.js';
import { ToolEntries } from './tool.entries.js';
import { ToolServers } from './tool.servers.js';
import { WebhookTools } from './webhook.tools.js';

/** Tools of projects: those of servers of the Model Context Protocol, and requests to servers of the operator's. */
@Module({
  imports: [CatalogueModule, EnginesModule, OutgoingModule],
  providers: [ProjectTools, ToolEntries, ToolServers, WebhookTools],
  exports: [ProjectTools],
})
export class ToolsModule {}
