import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { AuthModule } from '../auth/index.js';
import { CatalogueModule } from '../catalogue/index.js';
import { ChatModule } from '../chat/index.js';
import { ConnectionModule } from '../connection/index.js';
import { ErasureModule } from '../erasure/index.js';
import { EnginesModule } from '../engines/index.js';
import { EventsModule } from '../events/index.js';
import { HandoverModule } from '../handover/index.js';
import { LimitsStorageModule } from '../rate-limits/index.js';
import { OpenAiModule } from '../openai/index.js';
import { QualityModule } from '../quality/index.js';
import { SpeechModule } from '../speech/index.js';
import { LateWrites } from './late.writes.js';
import { LiveAdmission } from './live.admission.js';
import { LiveCalls } from './live.calls.js';
import { LiveController } from './live.controller.js';
import { LiveMetrics } from './live.metrics.js';
import { LivePlace, LivePlaces, LivePlaceSchema } from './live.places.js';
import { LiveReplies } from './live.replies.js';
import { LiveAllowances } from './live.allowances.js';
import { LiveSecrets } from './live.secrets.js';
import { LiveSessions } from './live.sessions.js';
import { LivePeople } from './live.people.js';
import { SessionParts } from './session.parts.js';

/** Spoken conversations in real time over a WebSocket, or by WebRTC. */
@Module({
  imports: [
    AuthModule,
    CatalogueModule,
    ChatModule,
    ConnectionModule,
    EnginesModule,
    ErasureModule,
    EventsModule,
    HandoverModule,
    LimitsStorageModule,
    MongooseModule.forFeature([{ name: LivePlace.name, schema: LivePlaceSchema }]),
    OpenAiModule,
    QualityModule,
    SpeechModule,
  ],
  controllers: [LiveController],
  providers: [
    LateWrites,
    LiveAdmission,
    LiveAllowances,
    LiveCalls,
    LiveMetrics,
    LivePlaces,
    LivePeople,
    LiveReplies,
    LiveSecrets,
    LiveSessions,
    SessionParts,
  ],
})
export class LiveModule {}
