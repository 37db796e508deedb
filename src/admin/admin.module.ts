import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/index.js';
import { CatalogueModule } from '../catalogue/index.js';
import { ChatModule } from '../chat/index.js';
import { ConnectionModule } from '../connection/index.js';
import { EnginesModule } from '../engines/index.js';
import { ErasureModule } from '../erasure/index.js';
import { EventsModule } from '../events/index.js';
import { LimitsModule } from '../rate-limits/index.js';
import { MemoryModule } from '../memory/index.js';
import { QualityModule } from '../quality/index.js';
import { SpeechModule } from '../speech/index.js';
import { WebhooksModule } from '../webhooks/index.js';
import { AdminController } from './admin.controller.js';
import { AdminGuard } from './admin.guard.js';
import { AdminQuality } from './admin.quality.js';
import { AdminService } from './admin.service.js';
import { AdminUsers } from './admin.users.js';
import { DeliveriesController } from './deliveries.controller.js';
import { TrialController } from './trial.controller.js';
import { AvatarTrial } from './avatar.trial.js';
import { AuditController } from './audit.controller.js';

/** Operations for operators. */
@Module({
  imports: [
    AuditModule,
    CatalogueModule,
    ChatModule,
    ConnectionModule,
    ErasureModule,
    EventsModule,
    MemoryModule,
    QualityModule,
    WebhooksModule,
  ],
  providers: [AdminQuality, AdminService, AdminUsers],
  exports: [AdminQuality, AdminService, AdminUsers],
})
export class AdminModule {}

/** The same operations over HTTP, if an `ADMIN_KEY` is set. */
@Module({
  imports: [AdminModule, AuditModule, CatalogueModule, EnginesModule, LimitsModule, SpeechModule],
  controllers: [AdminController, AuditController, DeliveriesController, TrialController],
  providers: [AdminGuard, AvatarTrial],
  exports: [AdminGuard, AuditModule, LimitsModule],
})
export class AdminHttpModule {}
