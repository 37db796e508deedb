import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/index.js';
import { EnginesModule } from '../engines/index.js';
import { SpeechModule } from '../speech/index.js';
import { GreetingsController } from './greetings.controller.js';
import { GreetingsService } from './greetings.service.js';

/** `GET /speech/greeting`: an avatar's greeting as speech. */
@Module({
  imports: [CatalogueModule, EnginesModule, SpeechModule],
  controllers: [GreetingsController],
  providers: [GreetingsService],
})
export class GreetingsModule {}
