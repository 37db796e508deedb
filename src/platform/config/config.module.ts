import { type DynamicModule, Global, Module } from '@nestjs/common';
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
export class ConfigModule {
  /** With settings that are there already. */
  static with(config: Config): DynamicModule {
    return { module: ConfigModule, providers: [{ provide: Config, useValue: config }] };
  }
}
