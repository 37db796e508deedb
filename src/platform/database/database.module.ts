import { type DynamicModule, Global, Module } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import mongoose from 'mongoose';
import { Database, DatabaseTimeouts } from './database.js';
import { DatabaseServer } from './database.server.js';

/**
 * The Mongoose connection of every room. `MongooseModule.forRoot` would hold up the start until the database answers and
 * give up where it does not; {@link Database} opens this one in the background. `MongooseModule.forFeature` works as ever.
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
        // An object where a value belongs is compared as a value, and a filter on a field that no schema has is refused: on
        // this connection alone, for Mongoose's own settings are those of a host application, too.
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
  /** With another patience than a service has. */
  static with(timeouts: DatabaseTimeouts): DynamicModule {
    return { module: DatabaseModule, providers: [{ provide: DatabaseTimeouts, useValue: timeouts }] };
  }
}
