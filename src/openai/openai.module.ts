import { Module } from '@nestjs/common';
import { OpenAiRealtime, OpenAiServers } from 'avatar-chat-models';
import { OutgoingHttp } from 'avatar-chat-runtime';
import { Config } from '../platform/config/index.js';
import { provideClass } from '../platform/extension-points/index.js';
import { OutgoingModule } from '../platform/outgoing-http/index.js';

/** Calls to servers with the OpenAI API: the shared client of engines, speakers and transcribers. */
@Module({
  imports: [OutgoingModule],
  providers: [
    provideClass(OpenAiServers, [Config, OutgoingHttp]),
    provideClass(OpenAiRealtime, [OpenAiServers, OutgoingHttp]),
  ],
  exports: [OpenAiRealtime, OpenAiServers],
})
export class OpenAiModule {}
