import { Module } from '@nestjs/common';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { MongooseModule } from '@nestjs/mongoose';
import { Events } from './events.js';
import { EventsService } from './events.service.js';
import { SignalRepository } from './signal.repository.js';
import { SignalDocument, SignalSchema } from './signal.schema.js';
import { Signals } from './signals.js';

/** Events: emitted to listeners in this process and, if a module delivers them, put into an outbox. Signals: to all processes. */
@Module({
  imports: [
    EventEmitterModule.forRoot({ global: false, maxListeners: 100 }),
    MongooseModule.forFeature([{ name: SignalDocument.name, schema: SignalSchema }]),
  ],
  providers: [Events, EventsService, SignalRepository, Signals],
  exports: [Events, EventsService, SignalRepository, Signals],
})
export class EventsModule {}
