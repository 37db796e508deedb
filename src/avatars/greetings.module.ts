import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/index.js';
import { EnginesModule } from '../engines/index.js';
import { MessagesModule } from '../messages/index.js';
import { LimitsStorageModule } from '../rate-limits/index.js';
import { SpeechModule } from '../speech/index.js';
import { GreetingsController } from './greetings.controller.js';
import { GreetingsService } from './greetings.service.js';

/** `GET /speech/…`: an avatar's greeting, and messages that come by themselves, as speech. */
@Module({
  imports: [CatalogueModule, EnginesModule, LimitsStorageModule, MessagesModule, SpeechModule],
  controllers: [GreetingsController],
  providers: [GreetingsService],
})
export class GreetingsModule {}
