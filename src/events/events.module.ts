import { Module } from '@nestjs/common';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { Events } from './events.js';
import { EventsService } from './events.service.js';

/** Events: emitted to listeners in this process and, if a module delivers them, put into an outbox. */
@Module({
  imports: [EventEmitterModule.forRoot({ global: false, maxListeners: 100 })],
  providers: [Events, EventsService],
  exports: [Events, EventsService],
})
export class EventsModule {}
