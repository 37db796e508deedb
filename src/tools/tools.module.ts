import { Module } from '@nestjs/common';
import { ToolServers, WebhookTools } from 'avatar-chat-models';
import { OutgoingHttp } from 'avatar-chat-runtime';
import { CatalogueModule } from '../catalogue/index.js';
import { EnginesModule } from '../engines/index.js';
import { Clock, Config } from '../platform/config/index.js';
import { provideClass } from '../platform/extension-points/index.js';
import { loggerOf } from '../platform/logging/index.js';
import { OutgoingModule } from '../platform/outgoing-http/index.js';
import { ProjectTools } from './project.tools.js';
import { ToolEntries } from './tool.entries.js';

/** Tools of projects: those of servers of the Model Context Protocol, and requests to servers of the operator's. */
@Module({
  imports: [CatalogueModule, EnginesModule, OutgoingModule],
  providers: [
    ProjectTools,
    ToolEntries,
    provideClass(ToolServers, [Config, Clock, OutgoingHttp], loggerOf),
    provideClass(WebhookTools, [Config, Clock, OutgoingHttp]),
  ],
  exports: [ProjectTools],
})
export class ToolsModule {}
