import { type DynamicModule, Global, Module } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import mongoose from 'mongoose';
import { Database, DatabaseTimeouts } from './database.js';
import { DatabaseServer } from './database.server.js';

/**
 * The Mongoose connection of all modules. `MongooseModule.forRoot` would block startup until the database responds, and
 * fail if it does not; {@link Database} opens this connection in the background. `MongooseModule.forFeature` works as
 * usual.
 */
@Global()
@Module({
  providers: [
    Database,
    DatabaseServer,
    DatabaseTimeouts,
    {
      provide: getConnectionToken(),
      useFactory: () => {
        const connection = mongoose.createConnection();
        // Objects in filters are compared as values, and filters on unknown fields are rejected: only on this
        // connection, since Mongoose's global settings also apply to a host application.
        Object.assign(connection.config, {
          autoIndex: false,
          autoCreate: false,
          bufferCommands: false,
          sanitizeFilter: true,
        });
        connection.plugin((schema) => schema.set('strictQuery', 'throw'));
        return connection;
      },
    },
  ],
  exports: [Database, getConnectionToken()],
})
export class DatabaseModule {
  /** With other timeouts than those of the service. */
  static with(timeouts: DatabaseTimeouts): DynamicModule {
    return { module: DatabaseModule, providers: [{ provide: DatabaseTimeouts, useValue: timeouts }] };
  }
}
