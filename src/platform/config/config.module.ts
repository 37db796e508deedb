import { Global, Module } from '@nestjs/common';
import { Clock, SystemClock } from './clock.js';
import { Config } from './config.js';
import { loadConfig } from './environment.js';

/** The settings and the clock, for every room. */
@Global()
@Module({
  providers: [
    { provide: Config, useFactory: loadConfig },
    { provide: Clock, useClass: SystemClock },
  ],
  exports: [Config, Clock],
})
export class ConfigModule {}
