import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Clock, SystemClock } from 'avatar-chat-runtime';
import { Config, loadConfig } from 'avatar-chat-settings';

/** Settings and clock, for all modules. */
@Global()
@Module({
  providers: [
    { provide: Config, useFactory: loadConfig },
    { provide: Clock, useClass: SystemClock },
  ],
  exports: [Config, Clock],
})
export class ConfigModule {
  /** Uses existing settings. */
  static with(config: Config): DynamicModule {
    return { module: ConfigModule, providers: [{ provide: Config, useValue: config }] };
  }
}
