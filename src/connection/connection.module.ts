import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { CatalogueModule } from '../catalogue/index.js';
import { EventsModule } from '../events/index.js';
import { ConnectionController } from './connection.controller.js';
import { ConnectionService } from './connection.service.js';
import { SessionCap } from './session.cap.js';
import { SessionRepository } from './session.repository.js';
import { SessionDocument, SessionSchema } from './session.schema.js';

/** `GET /connection` and the sessions that it opens. */
@Module({
  imports: [
    CatalogueModule,
    EventsModule,
    MongooseModule.forFeature([{ name: SessionDocument.name, schema: SessionSchema }]),
  ],
  controllers: [ConnectionController],
  providers: [ConnectionService, SessionCap, SessionRepository],
  exports: [SessionRepository],
})
export class ConnectionModule {}
