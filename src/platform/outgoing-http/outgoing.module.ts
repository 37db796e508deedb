import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { OutgoingHttp } from 'avatar-chat-runtime';
import { Config } from '../config/index.js';

/** Calls to servers that operators configure. */
@Module({
  providers: [{ provide: OutgoingHttp, inject: [Config], useFactory: (config: Config) => new OutgoingHttp(config) }],
  exports: [OutgoingHttp],
})
export class OutgoingModule implements OnApplicationShutdown {
  constructor(private readonly http: OutgoingHttp) {}

  /** @internal */
  onApplicationShutdown(): void {
    this.http.closeIdle();
  }
}
