import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { CatalogueModule } from '../catalogue/index.js';
import { ConnectionModule } from '../connection/index.js';
import { EnginesModule } from '../engines/index.js';
import { ErasureModule } from '../erasure/index.js';
import { EventsModule } from '../events/index.js';
import { FilesModule } from '../files/index.js';
import { VideoModule } from '../video/index.js';
import { MessagesModule } from '../messages/index.js';
import { HandoverModule } from '../handover/index.js';
import { LimitsStorageModule } from '../rate-limits/index.js';
import { QualityModule } from '../quality/index.js';
import { SpeechModule } from '../speech/index.js';
import { ChatController } from './chat.controller.js';
import { ChatService } from './chat.service.js';
import { HistoryPages } from './history/history.pages.js';
import { HistoryReads } from './history/history.reads.js';
import { TurnAnswer } from './turns/turn.answer.js';
import { TurnEntries } from './turns/turn.entries.js';
import { TurnErasures } from './turns/turn.erasures.js';
import { TurnFailures } from './turns/turn.failures.js';
import { TurnHooks } from './turns/turn.hooks.js';
import { TurnIntake } from './turns/turn.intake.js';
import { TurnLeases } from './turns/turn.leases.js';
import { TurnMetrics } from './turns/turn.metrics.js';
import { TurnSlots } from './turns/turn.slots.js';
import { TurnSpeech } from './turns/turn.speech.js';
import { UnaskedMessages } from './unasked.messages.js';
import { TurnService } from './turns/turn.service.js';

/** `GET /chat` and `POST /chat`: histories and turns. Other modules record and page messages through {@link ChatService}. */
@Module({
  imports: [
    CatalogueModule,
    ConnectionModule,
    DiscoveryModule,
    EnginesModule,
    ErasureModule,
    EventsModule,
    FilesModule,
    VideoModule,
    HandoverModule,
    LimitsStorageModule,
    MessagesModule,
    QualityModule,
    SpeechModule,
  ],
  controllers: [ChatController],
  providers: [
    ChatService,
    HistoryPages,
    HistoryReads,
    TurnAnswer,
    TurnEntries,
    TurnErasures,
    TurnFailures,
    TurnHooks,
    TurnIntake,
    TurnLeases,
    TurnMetrics,
    TurnSlots,
    TurnService,
    TurnSpeech,
    UnaskedMessages,
  ],
  exports: [ChatService, MessagesModule, TurnAnswer, TurnErasures, TurnFailures, TurnIntake, TurnMetrics, TurnService],
})
export class ChatModule {}
